package dev.interlock.redis.support;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.interlock.spi.HoldId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One script with its keys and arguments, which stand at the script's head. Not thread-safe; can be
 * sent several times, one after the other.
 */
public final class ScriptCall {
  private static final int NO_DEADLINE = -1;
  private static final byte[] YES = {'1'};
  private static final byte[] NO = {'0'};

  private final LuaScript script;
  private final List<byte[]> keys = new ArrayList<>(4);
  private final List<byte[]> arguments = new ArrayList<>(12);
  private int deadlineAt = NO_DEADLINE;
  private boolean patient;
  private long sentAt;
  private @Nullable LockKeys first;

  /**
   * Begins a call.
   *
   * @param script what to run
   */
  public ScriptCall(LuaScript script) {
    this.script = script;
  }

  /** Adds the keys of a lock but for {@link LockKeys#due()}. */
  public ScriptCall on(LockKeys lock) {
    return on(lock, lock.lock(), lock.token(), lock.waiting());
  }

  /**
   * Adds some keys of a lock.
   *
   * @param lock the lock
   * @param some of its keys
   * @return this
   */
  public ScriptCall on(LockKeys lock, byte[]... some) {
    if (first == null) {
      first = lock;
    }
    Collections.addAll(keys, some);
    return this;
  }

  /**
   * Asks to send it again, within the time that an answer may take, while the keys are being moved
   * to another node, and to wait so long for a connection that is being made again. For calls that
   * nobody would repeat in a moment, where a driver does neither by itself.
   */
  public ScriptCall patient() {
    patient = true;
    return this;
  }

  /** Adds an argument. The array is shared: nobody changes it. */
  public ScriptCall with(byte[] argument) {
    arguments.add(argument);
    return this;
  }

  /** Adds an argument. */
  public ScriptCall with(String text) {
    return with(text.getBytes(UTF_8));
  }

  /** Adds an argument: 32 hexadecimal digits. */
  public ScriptCall with(HoldId id) {
    return with(id.toString());
  }

  /** Adds an argument. */
  public ScriptCall with(long number) {
    return with(Long.toString(number).getBytes(ISO_8859_1));
  }

  /** Adds an argument: 1 or 0. */
  public ScriptCall with(boolean flag) {
    return with(flag ? YES : NO);
  }

  /** Leaves a place for the moment after which the script must do nothing, set when it is sent. */
  public ScriptCall withDeadline() {
    deadlineAt = arguments.size();
    return with(NO);
  }

  /**
   * Notes when it is sent, and sets until when it may run.
   *
   * @param nanos {@link System#nanoTime()}
   * @param clock of the server that it is sent to
   * @param timeout how long its answer is awaited
   */
  public void sentAt(long nanos, ServerClock clock, Duration timeout) {
    sentAt = nanos;
    if (hasDeadline()) {
      String notAfter = Long.toString(clock.notAfterMicros(nanos, timeout));
      arguments.set(deadlineAt, notAfter.getBytes(ISO_8859_1));
    }
  }

  /** Returns when it was sent, by {@link System#nanoTime()}. */
  public long sentAt() {
    return sentAt;
  }

  /** Tells whether the script does nothing if it comes too late. */
  public boolean hasDeadline() {
    return deadlineAt != NO_DEADLINE;
  }

  /** Tells whether it is {@link #patient()}. */
  public boolean isPatient() {
    return patient;
  }

  /** Returns what to run. */
  public LuaScript script() {
    return script;
  }

  /** Returns the lock that decides which server is asked; all others of the call are there too. */
  public LockKeys first() {
    return Objects.requireNonNull(first, "keys");
  }

  /** Returns the keys. */
  public List<byte[]> keys() {
    return keys;
  }

  /** Returns the arguments, which follow the keys. */
  public List<byte[]> arguments() {
    return arguments;
  }
}
