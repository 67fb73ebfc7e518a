package dev.interlock.redis.support.jedis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.BackendUnavailableException;
import dev.interlock.LockException;
import dev.interlock.redis.support.KeyLayout;
import dev.interlock.redis.support.LockKeys;
import dev.interlock.spi.ClientId;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import org.junit.jupiter.api.Test;

class WakeUpsTest {
  /** A cluster in which no server has any lock just now. */
  private static final class NoServer implements Servers {
    @Override
    public Target of(LockKeys keys) {
      throw new BackendUnavailableException("no server has it");
    }

    @Override
    public Target after(LockKeys keys, Target target, LockException failure) {
      throw failure;
    }

    @Override
    public int group(LockKeys keys) {
      return 0;
    }

    @Override
    public Collection<Server> all() {
      return List.of();
    }

    @Override
    public String address() {
      return "nowhere";
    }

    @Override
    public void close() {
      // There is nothing.
    }
  }

  /** It comes with answers: what was answered must not fail since the way there is lost by now. */
  @Test
  void E3_aLockThatNoServerHasNowIsLookedAtAgainSoon() {
    KeyLayout layout = new KeyLayout("t");
    ClientId client = new ClientId("00000000000000aa", "host");
    try (WakeUps wakeUps =
        new WakeUps("any", layout, client, new NoServer(), Duration.ofSeconds(2))) {
      assertThat(wakeUps.recheck(layout.keys("n"), -1, true)).isLessThan(Duration.ofSeconds(1));
    }
  }
}
