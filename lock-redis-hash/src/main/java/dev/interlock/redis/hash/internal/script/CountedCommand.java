package dev.interlock.redis.hash.internal.script;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.ByteArrayOutput;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.ProtocolKeyword;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A command that knows how often it was sent. A client of an application's own may send it again
 * after a reconnect, though the server had executed it, and its answer is that of the second time.
 * It also sends it again when a node of a cluster refers it to another one; the first has not
 * executed it then.
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

  /** A script's, which any node of a cluster may be asked for. */
  static AsyncCommand<byte[], byte[], byte[]> ofScript(
      ProtocolKeyword type, CommandArgs<byte[], byte[]> parts) {
    return of(type, new ScriptOutput(), parts);
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

  /** Says whether it may have been executed before it was, or is to be, answered. */
  static boolean mayHaveRunBefore(AsyncCommand<byte[], byte[], ?> command) {
    return timesTaken(command) > 1;
  }

  /** Says whether it may have been executed, though there is no answer. */
  static boolean mayHaveRun(AsyncCommand<byte[], byte[], ?> command) {
    return timesTaken(command) > 0;
  }

  /** How often it was sent to a node that did not refer it to another one. */
  private static int timesTaken(AsyncCommand<byte[], byte[], ?> command) {
    return command.getDelegate() instanceof CountedCommand<?> counted
        ? counted.sent.get() - counted.timesReferred()
        : 0;
  }

  private int timesReferred() {
    return getOutput() instanceof ScriptOutput output ? output.referred.get() : 0;
  }

  /** Sees the answers after which Lettuce sends a command to another node by itself. */
  private static final class ScriptOutput extends ByteArrayOutput<byte[], byte[]> {
    final AtomicInteger referred = new AtomicInteger();

    ScriptOutput() {
      super(ByteArrayCodec.INSTANCE);
    }

    @Override
    public void setError(ByteBuffer answer) {
      super.setError(answer);
      String text = getError();
      if (text.startsWith("MOVED ") || text.startsWith("ASK ")) {
        referred.incrementAndGet();
      }
    }
  }
}
