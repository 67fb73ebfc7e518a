package dev.interlock.redis.hash;

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
  private static final int MANY = 4_000;

  private HoldId read(Duration lease) {
    HoldId id = one.id();
    assertThat(one.backend.attempt(
            TestClient.fair("n", id, lease, Duration.ZERO).withUnits(1, Integer.MAX_VALUE)))
        .isInstanceOf(Grant.class);
    return id;
  }

  /** A list made longer reader by reader takes a time that grows with their square. */
  @Test
  void R2_oneOfManyReadersThatRanOutAndHundredsThatAreRenewedDoNotHoldUpTheServer() {
    List<HoldId> ids =
        Stream.generate(() -> read(Duration.ofMinutes(10))).limit(MANY).toList();
    HoldId last = read(Duration.ofMillis(50));
    Topologies.await(() -> one.backend.inspect("n").orElseThrow().others().size() < MANY);
    double start = processorSeconds();
    read(TestClient.LEASE);
    assertThat(one.renew("n", ids.subList(0, 256))).allMatch(Grant.class::isInstance);
    double took = processorSeconds() - start;
    assertThat(took).as("seconds of the processor").isLessThan(0.1);
    assertThat(one.release("n", last).held()).isFalse();
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
