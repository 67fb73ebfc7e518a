package dev.interlock.redis.hash.internal.backend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.redis.support.contract.BackendContract;
import dev.interlock.redis.support.contract.Topologies;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a lock costs the server that is held by many. */
@Timeout(120)
class ManyReadersTest extends TwoClients {
  private HoldId read(Duration lease) {
    return read("n", lease);
  }

  private HoldId read(String name, Duration lease) {
    HoldId id = one.id();
    assertThat(one.backend.attempt(
            TestClient.fair(name, id, lease, Duration.ZERO).withUnits(1, Integer.MAX_VALUE)))
        .isInstanceOf(Grant.class);
    return id;
  }

  /**
   * A list made longer reader by reader takes a time that grows with their square: 64 times. The
   * caches of a busy machine may make one measurement long, not each.
   */
  @Test
  void R2_oneOfManyReadersThatRanOutAndHundredsThatAreRenewedDoNotHoldUpTheServer() {
    double least = Double.MAX_VALUE;
    for (int i = 0; i < 3 && least >= 16; i++) {
      double few = processorSecondsBeside(1_000, "few-" + i);
      double many = processorSecondsBeside(8_000, "many-" + i);
      least = Math.min(least, many / few);
    }
    assertThat(least).as("8 times the readers cost the server so many times").isLessThan(16);
  }

  private double processorSecondsBeside(int readers, String name) {
    List<HoldId> ids =
        Stream.generate(() -> read(name, Duration.ofMinutes(10))).limit(readers).toList();
    HoldId last = read(name, Duration.ofMillis(50));
    Topologies.await(() -> one.backend.inspect(name).orElseThrow().others().size() < readers);
    double start = processorSeconds();
    read(name, TestClient.LEASE);
    assertThat(one.renew(name, ids.subList(0, 256))).allMatch(Grant.class::isInstance);
    double took = processorSeconds() - start;
    assertThat(one.release(name, last).held()).isFalse();
    return took;
  }

  private static double processorSeconds() {
    return server
        .command("INFO", "cpu")
        .lines()
        .filter(line -> line.matches("used_cpu_(user|sys)_main_thread:.*"))
        .mapToDouble(
            line -> Double.parseDouble(line.substring(line.indexOf(':') + 1).strip()))
        .sum();
  }

  /** Nothing is left of those whose JVM died. */
  @Test
  void C2_theKeyLivesAsLongAsTheLastReaderAndNoLonger() {
    read(Duration.ofSeconds(20));
    HoldId longest = read(Duration.ofMinutes(1));
    read(Duration.ofSeconds(20));
    assertThat(lifeOfTheKey()).isBetween(30_000L, 60_000L);
    one.renew("n", longest);
    assertThat(lifeOfTheKey()).isBetween(30_000L, 60_000L);
    read(Duration.ofMinutes(5));
    assertThat(lifeOfTheKey()).isBetween(200_000L, 300_000L);
    two.queue("n", two.id());
    assertThat(lifeOfTheKey()).isBetween(200_000L, 300_000L);
  }

  private static long lifeOfTheKey() {
    return Long.parseLong(server.command("PTTL", BackendContract.key("n")).strip());
  }
}
