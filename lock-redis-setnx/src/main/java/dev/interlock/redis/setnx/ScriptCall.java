package dev.interlock.redis.setnx;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.interlock.redis.support.LuaScript;
import dev.interlock.spi.HoldId;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.args.Rawable;
import redis.clients.jedis.args.RawableFactory;

/**
 * One script with its keys and arguments. Not thread-safe; can be sent several times, one after the
 * other.
 */
final class ScriptCall {
  private static final int NO_DEADLINE = -1;
  private static final int DIGITS_OF_HALF = 16;
  private static final byte[] HEX = "0123456789abcdef".getBytes(ISO_8859_1);

  private final LuaScript script;
  private final Rawable keyCount;
  private final byte[][] keysAndArguments;
  private int deadlineAt = NO_DEADLINE;
  private int filled;
  private long sentAt;

  private ScriptCall(LuaScript script, Rawable keyCount, int size) {
    this.script = script;
    this.keyCount = keyCount;
    this.keysAndArguments = new byte[size][];
  }

  /** Begins a call with the keys that stand at the head of the script. */
  static ScriptCall of(LuaScript script, int arguments, byte[]... keys) {
    ScriptCall call = new ScriptCall(script, KeyCount.of(keys.length), keys.length + arguments);
    for (byte[] key : keys) {
      call.with(key);
    }
    return call;
  }

  ScriptCall with(byte[] argument) {
    keysAndArguments[filled++] = argument;
    return this;
  }

  ScriptCall with(HoldId id) {
    byte[] digits = new byte[2 * DIGITS_OF_HALF];
    write(id.high(), digits, 0);
    write(id.low(), digits, DIGITS_OF_HALF);
    return with(digits);
  }

  ScriptCall with(long number) {
    return with(Long.toString(number).getBytes(ISO_8859_1));
  }

  /** Leaves a place for the moment after which the script must do nothing, set when it is sent. */
  ScriptCall withDeadline() {
    deadlineAt = filled++;
    return this;
  }

  LuaScript script() {
    return script;
  }

  boolean hasDeadline() {
    return deadlineAt != NO_DEADLINE;
  }

  /**
   * Sets when it is sent, and until when it may run.
   *
   * @param nanos {@link System#nanoTime()}
   * @param notAfterMicros the server's time, in microseconds since 1970
   */
  void sentAt(long nanos, long notAfterMicros) {
    sentAt = nanos;
    keysAndArguments[deadlineAt] = Long.toString(notAfterMicros).getBytes(ISO_8859_1);
  }

  long sentAt() {
    return sentAt;
  }

  /** The short form, for a server that knows the script. */
  CommandArguments byDigest() {
    return command(Command.EVALSHA, script.sha());
  }

  /** The long form, which makes the server know the script. */
  CommandArguments bySource() {
    return command(Command.EVAL, script.source());
  }

  private static void write(long half, byte[] digits, int from) {
    long rest = half;
    for (int i = from + DIGITS_OF_HALF - 1; i >= from; i--) {
      digits[i] = HEX[(int) rest & 0xf];
      rest >>>= 4;
    }
  }

  private CommandArguments command(Command command, byte[] body) {
    CommandArguments arguments = new CommandArguments(command).add(body).add(keyCount);
    for (byte[] argument : keysAndArguments) {
      arguments.add(argument);
    }
    return arguments;
  }

  /** The numbers of keys that occur, as bytes made once. */
  private static final class KeyCount {
    private static final Rawable[] COUNTS = {
      RawableFactory.from(0),
      RawableFactory.from(1),
      RawableFactory.from(2),
      RawableFactory.from(3),
      RawableFactory.from(4)
    };

    private KeyCount() {}

    static Rawable of(int keys) {
      return COUNTS[keys];
    }
  }
}
