package dev.interlock.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.interlock.compare.facts.Fact;
import dev.interlock.compare.facts.FailingObservation;
import dev.interlock.compare.facts.FixedObservation;
import dev.interlock.compare.facts.Happening;
import dev.interlock.compare.facts.Observation;
import dev.interlock.compare.report.Progress;
import dev.interlock.compare.servers.Backend;
import dev.interlock.compare.servers.Subject;
import dev.interlock.compare.tck.Candidate;
import dev.interlock.tck.Effort;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.Help.Ansi;

class SideBySideTest {

  /** Waits until all of its kind are there. */
  private record Meeting(Happening happening, CountDownLatch all, Set<String> servers)
      implements Observation {

    @Override
    public Fact observe(Backend backend, Effort effort) throws InterruptedException {
      servers.add(backend.uri());
      all.countDown();
      boolean met = backend.admin().redis().isEmpty() || all.await(60, TimeUnit.SECONDS);
      if (!met) {
        throw new IllegalStateException("it is alone");
      }
      return new FixedObservation().observe(backend, effort);
    }
  }

  @Test
  void what_bears_others_is_looked_at_beside_the_rest_on_a_server_of_its_own() {
    assumeTrue(System.getProperty("interlock.test.redis") == null);
    assumeTrue(System.getenv("INTERLOCK_TEST_REDIS") == null);
    CountDownLatch all = new CountDownLatch(2);
    Set<String> servers = ConcurrentHashMap.newKeySet();
    List<Fact> facts = look(
        "redis-setnx",
        new Meeting(Happening.IDLE, all, servers),
        new Meeting(Happening.STATE_LOST, all, servers));
    assertThat(facts).hasSize(2).noneMatch(Fact::failed);
    assertThat(servers).hasSize(2);
  }

  @Test
  void facts_are_told_in_their_order() {
    List<Fact> facts = look(
        "local",
        failing(Happening.STATE_LOST),
        failing(Happening.IDLE),
        failing(Happening.HOLDER_KILLED));

    assertThat(facts)
        .extracting(Fact::happening)
        .containsExactly(Happening.HOLDER_KILLED, Happening.IDLE, Happening.STATE_LOST);
  }

  private static List<Fact> look(String provider, Observation... observations) {
    Candidate candidate = Candidate.of(Subject.find(provider).orElseThrow(), Optional.empty());
    Progress progress = new Progress(new PrintWriter(new StringWriter()), Ansi.OFF);
    Map<String, List<Fact>> facts =
        new SideBySide(List.of(observations), Effort.QUICK, progress).run(List.of(candidate));
    return Objects.requireNonNull(facts.get(provider));
  }

  private static Observation failing(Happening happening) {
    return new FailingObservation(happening, "no luck");
  }
}
