package dev.interlock.redis.hash.internal.script;

import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.ProtocolKeyword;
import io.netty.buffer.ByteBuf;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A command that knows how often it was sent. A client of an application's own may send it again
 * after a reconnect, though the server had executed it, and its answer is that of the second time.
 * (So may a cluster, when a node refers to another one; that one has not executed it.)
 */
final class CountedCommand<T> extends Command<byte[], byte[], T> {
  private final AtomicInteger sent = new AtomicInteger();

  private CountedCommand(
      ProtocolKeyword type,
      CommandOutput<byte[], byte[], T> output,
      CommandArgs<byte[], byte[]> parts) {
    super(type, output, parts);
  }

  static <T> AsyncCommand<byte[], byte[], T> of(
      ProtocolKeyword type,
      CommandOutput<byte[], byte[], T> output,
      CommandArgs<byte[], byte[]> parts) {
    return new AsyncCommand<>(new CountedCommand<>(type, output, parts));
  }

  @Override
  public void encode(ByteBuf buffer) {
    sent.incrementAndGet();
    super.encode(buffer);
  }

  /** Says whether a command that was made here was sent more than once. */
  static boolean wasRepeated(AsyncCommand<byte[], byte[], ?> command) {
    return command.getDelegate() instanceof CountedCommand<?> counted && counted.sent.get() > 1;
  }
}
