package dev.interlock.mysql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.LockConfig;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** When a client listens. */
@Timeout(60)
class BellTest {
  private static final Duration LINGER = Duration.ofMillis(250);
  private static final double SLEEP_SECONDS = 0.01;

  @Test
  void whoRaisesItCanRelyOnItAlsoWhenItWasAboutToGoDown() {
    String uri = Server.uri();
    Server.client(uri).close(); // makes the tables
    LockConfig config = LockConfig.parse(uri);
    long client = ThreadLocalRandom.current().nextLong();
    Connections connections = new OwnPools(config, "bell");
    Database database = new Database(
        connections, Mappers.create("interlock_", false), config.get(MysqlOptions.TIMEOUT));
    Bell bell = new Bell(database, client, "n:", new Entries(), SLEEP_SECONDS, LINGER);
    try {
      for (int round = 0; round < 24; round++) {
        bell.raise();
        assertThat(bell.isUp()).as("round %d", round).isTrue();
        // It goes down about now.
        LockSupport.parkNanos(LINGER.toNanos() + (round - 8) * 1_000_000L);
      }
    } finally {
      bell.close();
      connections.close();
    }
  }
}
