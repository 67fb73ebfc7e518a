package dev.interlock.redis.hash.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.redis.support.contract.Topologies;
import io.netty.channel.embedded.EmbeddedChannel;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ReplyTimeoutTest {
  private static final Duration LIMIT = Duration.ofMillis(20);

  private final EmbeddedChannel channel = new EmbeddedChannel(new ReplyTimeout(LIMIT));

  private boolean isClosedBySoon() {
    channel.runScheduledPendingTasks();
    return !channel.isActive();
  }

  @Test
  void W11_aConnectionThatStaysSilentIsClosed() {
    channel.writeOutbound("ping");
    Topologies.await(this::isClosedBySoon);
  }

  /** The first to be done when it goes on is what became due meanwhile; then sockets are read. */
  @Test
  void E5_aConnectionIsKeptWhoseAnswerCameWhileTheJvmStoodStill() throws InterruptedException {
    channel.writeOutbound("ping");
    TimeUnit.NANOSECONDS.sleep(3 * LIMIT.toNanos());
    channel.runScheduledPendingTasks();
    channel.writeInbound("pong");
    assertThat(channel.isActive()).isTrue();
    channel.writeOutbound("ping");
    Topologies.await(this::isClosedBySoon);
  }
}
