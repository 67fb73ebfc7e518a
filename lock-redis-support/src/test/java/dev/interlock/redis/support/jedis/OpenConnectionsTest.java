package dev.interlock.redis.support.jedis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.BackendUnavailableException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import redis.clients.jedis.Connection;

/** Who needs a connection where no further one can be opened. */
@Timeout(60)
class OpenConnectionsTest {
  private static final Duration LIMIT = Duration.ofSeconds(2);

  private final OpenConnections open = new OpenConnections();

  @Test
  void N7_oneIsOpenedInPlaceOfTheOneThatBroke() {
    Connection other = connection();
    OpenConnections.Source breaking = new OpenConnections.Source() {
      private int asked;
      private int looks;

      @Override
      public @Nullable Connection idle() {
        return null;
      }

      @Override
      public Connection further() {
        if (asked++ > 0) {
          return other;
        }
        throw new BackendUnavailableException("refused while the first one is open");
      }

      @Override
      public boolean isAnyOpen() {
        return looks++ < 3;
      }
    };
    assertThat(open.furtherOrNext(breaking, deadline())).isSameAs(other);
  }

  @Test
  void E3_aServerThatRefusesTheOnlyConnectionIsAskedOnce() {
    OpenConnections.Source down = new OpenConnections.Source() {
      private int asked;

      @Override
      public @Nullable Connection idle() {
        return null;
      }

      @Override
      public Connection further() {
        throw new BackendUnavailableException("refusal " + ++asked);
      }

      @Override
      public boolean isAnyOpen() {
        return false;
      }
    };
    assertThatThrownBy(() -> open.furtherOrNext(down, deadline()))
        .isInstanceOf(BackendUnavailableException.class)
        .hasMessage("refusal 1");
  }

  private static long deadline() {
    return System.nanoTime() + LIMIT.toNanos();
  }

  /** Is never used, so leads nowhere. */
  private static Connection connection() {
    return new Connection("127.0.0.1", 1);
  }
}
