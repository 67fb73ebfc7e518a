package dev.interlock.redis.hash.internal.script;

import dev.interlock.redis.support.ScriptCall;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;

/** A script as a command of Lettuce. */
final class ScriptCommand {
  private ScriptCommand() {}

  /** The short form, for a server that knows the script. */
  static AsyncCommand<byte[], byte[], byte[]> byDigest(ScriptCall call) {
    return command(CommandType.EVALSHA, call.script().sha(), call);
  }

  /** The long form, which makes the server know the script. */
  static AsyncCommand<byte[], byte[], byte[]> bySource(ScriptCall call) {
    return command(CommandType.EVAL, call.script().source(), call);
  }

  private static AsyncCommand<byte[], byte[], byte[]> command(
      CommandType type, byte[] body, ScriptCall call) {
    CommandArgs<byte[], byte[]> parts = new CommandArgs<>(ByteArrayCodec.INSTANCE);
    parts.add(body).add(call.keys().size());
    call.keys().forEach(parts::addKey);
    call.arguments().forEach(parts::add);
    return CountedCommand.ofScript(type, parts);
  }
}
