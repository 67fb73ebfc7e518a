package dev.interlock.redis.hash.internal.connection;

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
 * <p>The time is counted in parts, by a thread that looks at the connections between them. While
 * the JVM stands still, as in a long collection, none of them passes but the one that has begun:
 * what came meanwhile is read before a connection is given up.
 *
 * <p>{@code WAIT} may take longer, but comes behind a command that is answered at once.
 */
final class ReplyTimeout extends ChannelDuplexHandler {
  private static final int PARTS = 4;

  private final long part;
  private boolean awaiting;
  private int partsLeft;
  private boolean counting;

  ReplyTimeout(Duration limit) {
    this.part = limit.toNanos() / PARTS;
  }

  @Override
  public void write(ChannelHandlerContext context, Object message, ChannelPromise promise)
      throws Exception {
    if (!awaiting) {
      awaiting = true;
      partsLeft = counting ? PARTS + 1 : PARTS; // the part that has begun is no whole one
      if (!counting) {
        count(context);
      }
    }
    super.write(context, message, promise);
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) throws Exception {
    awaiting = false;
    super.channelRead(context, message);
  }

  private void count(ChannelHandlerContext context) {
    counting = true;
    ScheduledFuture<?> unused =
        context.executor().schedule(() -> partPassed(context), part, TimeUnit.NANOSECONDS);
  }

  private void partPassed(ChannelHandlerContext context) {
    counting = false;
    if (!awaiting || !context.channel().isActive()) {
      return;
    }
    partsLeft--;
    if (partsLeft > 0) {
      count(context);
    } else {
      ChannelFuture unused = context.channel().close();
    }
  }
}
