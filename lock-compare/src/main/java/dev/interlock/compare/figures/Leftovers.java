package dev.interlock.compare.figures;

import dev.interlock.compare.servers.Backend;
import dev.interlock.measure.SectionClient;
import dev.interlock.measure.SectionLock;
import dev.interlock.measure.server.ServerProbe;
import dev.interlock.tck.Effort;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Measures what the server keeps of names that were used once. */
final class Leftovers implements Measurement {
  private static final int NAMES = 10_000;
  private static final int THREADS = 8;

  @Override
  public String title() {
    return "10,000 names used once";
  }

  @Override
  public List<Measure> measures() {
    return List.of(Measure.BYTES_LEFT, Measure.ENTRIES_LEFT);
  }

  @Override
  public void take(Backend backend, Effort effort, Figures into) throws Exception {
    Optional<ServerProbe> probe = backend.probe();
    if (probe.isEmpty()) {
      into.none("the server cannot be asked past the provider", measures().toArray(Measure[]::new));
      return;
    }
    useNames(backend.uri());
    ServerProbe.Footprint left = probe.get().footprint(backend.names());
    into.put(Measure.BYTES_LEFT, (double) left.bytes());
    into.put(Measure.ENTRIES_LEFT, (double) left.entries());
  }

  private static void useNames(String uri) throws InterruptedException, ExecutionException {
    ExecutorService users = Executors.newFixedThreadPool(THREADS);
    Waiting waiting = new Waiting();
    try (SectionClient client =
        waiting.sections(uri, request -> request.withWait(Duration.ofSeconds(10)))) {
      List<Future<?>> parts = new ArrayList<>();
      for (int part = 0; part < THREADS; part++) {
        int first = part;
        parts.add(users.submit(() -> {
          for (int i = first; i < NAMES; i += THREADS) {
            SectionLock lock = client.lock("compare-once-" + i);
            lock.lock();
            lock.unlock();
          }
          return true;
        }));
      }
      for (Future<?> part : parts) {
        part.get();
      }
    } finally {
      users.shutdownNow();
    }
  }
}
