package dev.interlock.quorum;

import dev.interlock.LockConfig;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.BackendContext;
import dev.interlock.spi.BackendEvents;
import dev.interlock.spi.ClientId;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** Does to a server what a clock that is ahead does to it: its tokens are larger than others'. */
final class Tokens {
  private Tokens() {}

  /**
   * Raises the tokens of one name on one server, which count microseconds, to those of a clock that
   * is so much ahead of this host's.
   *
   * @return whether that was done; not if somebody holds the lock there
   */
  static boolean advance(String uri, String name, Duration ahead) {
    ClientId client = new ClientId("1111222233334444", "host:1");
    try (LockBackend backend = BackendContext.of(client).open(LockConfig.parse(uri))) {
      backend.subscribe(BackendEvents.IGNORED);
      HoldId id = new HoldId(1, ThreadLocalRandom.current().nextLong());
      Duration lease = Duration.ofSeconds(30);
      if (!(backend.attempt(Attempt.of(name, id, "clock", lease)) instanceof Grant)) {
        return false;
      }
      long token = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now().plus(ahead));
      Renewal raising = Renewal.of(name, id, lease, false).withMinToken(token);
      boolean raised = RenewalAnswers.collect(backend, List.of(raising)).get(0) instanceof Grant;
      return backend.release(name, id) && raised;
    }
  }
}
