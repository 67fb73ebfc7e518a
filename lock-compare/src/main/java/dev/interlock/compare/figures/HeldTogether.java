package dev.interlock.compare.figures;

import dev.interlock.compare.peers.Clients;
import dev.interlock.compare.servers.Backend;
import dev.interlock.measure.CountedClient;
import dev.interlock.measure.CountedRound;
import dev.interlock.measure.CountedScenario;
import dev.interlock.measure.HangException;
import dev.interlock.tck.Effort;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Measures read-write locks and semaphores. */
final class HeldTogether implements Measurement {

  @Override
  public String title() {
    return "read-write locks and semaphores";
  }

  @Override
  public List<Measure> measures() {
    return List.of(Measure.SECTIONS_SEMAPHORE, Measure.SECTIONS_READ_WRITE);
  }

  @Override
  public void take(Backend backend, Effort effort, Figures into) throws Exception {
    Duration time = Duration.ofMillis(effort.of(800, 4000, 8000));
    take(CountedScenario.SEMAPHORE, Measure.SECTIONS_SEMAPHORE, backend, time, into);
    take(CountedScenario.READ_WRITE, Measure.SECTIONS_READ_WRITE, backend, time, into);
  }

  private static void take(
      CountedScenario scenario, Measure measure, Backend backend, Duration time, Figures into)
      throws InterruptedException {
    Optional<CountedClient> first = Clients.counted(backend.uri(), scenario);
    if (first.isEmpty()) {
      into.none("there are no such locks", measure);
      return;
    }
    try (CountedClient one = first.get();
        CountedClient other = Clients.counted(backend.uri(), scenario).orElseThrow()) {
      List<CountedClient> both = List.of(one, other);
      round(scenario, both, time.dividedBy(4));
      into.put(measure, round(scenario, both, time));
    } catch (HangException e) {
      if (Clients.isOurs(backend.uri())) {
        throw e;
      }
      into.hangs(e.how(), measure);
    }
  }

  /** Returns the sections a second. */
  private static double round(CountedScenario scenario, List<CountedClient> clients, Duration time)
      throws InterruptedException {
    CountedRound.Result result =
        CountedRound.run(scenario, clients, "compare-" + scenario.id(), time);
    if (result.excesses() > 0) {
      throw new IllegalStateException(
          "more was held than there is, %d times".formatted(result.excesses()));
    }
    return result.sectionsPerSecond();
  }
}
