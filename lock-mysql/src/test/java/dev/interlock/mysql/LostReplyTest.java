package dev.interlock.mysql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.LockException;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.contract.TestClient;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.AttemptResult.Queued;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.testservers.MysqlServer;
import java.io.IOException;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LostReplyTest {
  private static final Duration LONG = Duration.ofMinutes(1);

  @Test
  void e1e2_aReplyThatIsLostAfterTheCommitLeavesOneEffectHoweverOftenItIsRepeated()
      throws IOException {
    MysqlServer server = Server.shared();
    try (ReplyEater eater = new ReplyEater(server.host(), server.port());
        TestClient client = Server.client(
            Server.uri().replace(":" + server.port() + "/", ":" + eater.port() + "/"))) {
      HoldId first = client.id();
      client.attempt("a", first, Duration.ZERO); // so that the lock has a row from here on
      client.release("a", first);

      eater.eatTheNextReply();
      assertThatThrownBy(() -> client.attempt("a", first, Duration.ZERO))
          .isInstanceOf(OutcomeUnknownException.class);
      AttemptResult again = retried(() -> client.attempt("a", first, Duration.ZERO));
      assertThat(again).isInstanceOf(Grant.class);
      assertThat(client.backend.inspect("a").orElseThrow().waiters()).isZero();

      HoldId waiter = client.id();
      eater.eatTheNextReply();
      assertThatThrownBy(() -> client.attempt("a", waiter, LONG)).isInstanceOf(LockException.class);
      assertThat(retried(() -> client.attempt("a", waiter, LONG))).isInstanceOf(Queued.class);
      assertThat(client.backend.inspect("a").orElseThrow().waiters()).isEqualTo(1);

      eater.eatTheNextReply();
      assertThatThrownBy(() -> client.release("a", first)).isInstanceOf(LockException.class);
      retried(() -> client.release("a", first));
      Awaitility.await().until(() -> client.backend.inspect("a").orElseThrow().waiters() == 0);
      assertThat(retried(() -> client.release("a", waiter)).held()).isTrue();
      assertThat(client.backend.inspect("a")).isEmpty();
    }
  }

  private static <T> T retried(java.util.function.Supplier<T> call) {
    for (int tries = 1; ; tries++) {
      try {
        return call.get();
      } catch (LockException e) {
        if (tries == 5) {
          throw e;
        }
      }
    }
  }
}
