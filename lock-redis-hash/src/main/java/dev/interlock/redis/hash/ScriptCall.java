package dev.interlock.redis.hash;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.interlock.redis.support.LockKeys;
import dev.interlock.redis.support.LuaScript;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.ByteArrayOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One script with its keys and arguments. Not thread-safe; can be sent several times. */
final class ScriptCall {
  private static final int NO_DEADLINE = -1;
  private static final byte[] YES = {'1'};
  private static final byte[] NO = {'0'};

  private final LuaScript script;
  private final List<byte[]> keys = new ArrayList<>(3);
  private final List<byte[]> arguments = new ArrayList<>(12);
  private int deadlineAt = NO_DEADLINE;
  private boolean patient;
  private @Nullable LockKeys first;

  ScriptCall(LuaScript script) {
    this.script = script;
  }

  /** Adds the three keys of a lock. */
  ScriptCall on(LockKeys lock) {
    if (first == null) {
      first = lock;
    }
    keys.add(lock.lock());
    keys.add(lock.token());
    keys.add(lock.waiting());
    return this;
  }

  /** Adds the key of a lock that is only read. */
  ScriptCall reading(LockKeys lock) {
    first = lock;
    keys.add(lock.lock());
    return this;
  }

  /**
   * Asks to send it again, within the time that an answer may take, while the keys are being moved
   * to another node, and to wait so long for a connection that is being made again. For calls that
   * nobody would repeat in a moment.
   */
  ScriptCall patient() {
    patient = true;
    return this;
  }

  boolean isPatient() {
    return patient;
  }

  /** The lock that decides which server is asked; all others of the call are kept there too. */
  LockKeys first() {
    return Objects.requireNonNull(first, "keys");
  }

  ScriptCall with(byte[] argument) {
    arguments.add(argument);
    return this;
  }

  ScriptCall with(String text) {
    return with(text.getBytes(UTF_8));
  }

  ScriptCall with(long number) {
    return with(Long.toString(number).getBytes(ISO_8859_1));
  }

  ScriptCall with(boolean flag) {
    return with(flag ? YES : NO);
  }

  /** Leaves a place for the moment after which the script must do nothing, set when it is sent. */
  ScriptCall withDeadline() {
    deadlineAt = arguments.size();
    return with(NO);
  }

  boolean hasDeadline() {
    return deadlineAt != NO_DEADLINE;
  }

  void deadline(long serverMicros) {
    arguments.set(deadlineAt, Long.toString(serverMicros).getBytes(ISO_8859_1));
  }

  /** The short form, for a server that knows the script. */
  AsyncCommand<byte[], byte[], byte[]> byDigest() {
    return command(CommandType.EVALSHA, script.sha());
  }

  /** The long form, which makes the server know the script. */
  AsyncCommand<byte[], byte[], byte[]> bySource() {
    return command(CommandType.EVAL, script.source());
  }

  private AsyncCommand<byte[], byte[], byte[]> command(CommandType type, byte[] body) {
    CommandArgs<byte[], byte[]> parts = new CommandArgs<>(ByteArrayCodec.INSTANCE);
    parts.add(body).add(keys.size());
    keys.forEach(parts::addKey);
    arguments.forEach(parts::add);
    return CountedCommand.of(type, new ByteArrayOutput<>(ByteArrayCodec.INSTANCE), parts);
  }
}
