package dev.interlock.redis.setnx;

import dev.interlock.redis.support.ScriptCall;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol.Command;

/** A script as a command of Jedis. */
final class ScriptCommand {
  private ScriptCommand() {}

  /** The short form, for a server that knows the script. */
  static CommandArguments byDigest(ScriptCall call) {
    return command(Command.EVALSHA, call.script().sha(), call);
  }

  /** The long form, which makes the server know the script. */
  static CommandArguments bySource(ScriptCall call) {
    return command(Command.EVAL, call.script().source(), call);
  }

  private static CommandArguments command(Command command, byte[] body, ScriptCall call) {
    CommandArguments parts =
        new CommandArguments(command).add(body).add(call.keys().size());
    call.keys().forEach(parts::add);
    call.arguments().forEach(parts::add);
    return parts;
  }
}
