package dev.interlock.redis.hash;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import java.time.Duration;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * Closes a connection over which something was sent and nothing came back for as long as an answer
 * may take. Its other end may have gone without a word: the operating system would go on for a
 * quarter of an hour, while a new connection works. Lettuce opens that one. Stands in every
 * connection of our own, whatever it is for, and is used by its thread only.
 *
 * <p>{@code WAIT} may take longer, but comes behind a command that is answered at once.
 */
final class ReplyTimeout extends ChannelDuplexHandler {
  private final long limit;
  private boolean awaiting;
  private long sentAt; // the first that was sent since something was heard
  private boolean scheduled;

  ReplyTimeout(Duration limit) {
    this.limit = limit.toNanos();
  }

  @Override
  public void write(ChannelHandlerContext context, Object message, ChannelPromise promise)
      throws Exception {
    if (!awaiting) {
      awaiting = true;
      sentAt = System.nanoTime();
      if (!scheduled) {
        checkIn(context, limit);
      }
    }
    super.write(context, message, promise);
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) throws Exception {
    awaiting = false;
    super.channelRead(context, message);
  }

  private void checkIn(ChannelHandlerContext context, long nanos) {
    scheduled = true;
    ScheduledFuture<?> unused =
        context.executor().schedule(() -> check(context), nanos, TimeUnit.NANOSECONDS);
  }

  private void check(ChannelHandlerContext context) {
    scheduled = false;
    if (!awaiting || !context.channel().isActive()) {
      return;
    }
    long left = sentAt + limit - System.nanoTime();
    if (left > 0) {
      checkIn(context, left);
    } else {
      ChannelFuture unused = context.channel().close();
    }
  }
}
