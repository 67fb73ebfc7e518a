package dev.interlock.sql.support;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.interlock.spi.Attempt;
import dev.interlock.spi.HoldId;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** An attempt as the parameters of statements: what has no method is for MyBatis. Immutable. */
public final class AttemptParameters {
  private final HoldId id;
  private final byte[] owner;
  final boolean shared;
  private final long leaseUs;
  private final int tokens;
  private final long stayUs;
  final int units;
  private final int capacity;
  final @Nullable Long beside;

  /**
   * Makes them.
   *
   * @param attempt the attempt
   */
  public AttemptParameters(Attempt attempt) {
    HoldId own = attempt.beside();
    this.id = attempt.id();
    this.owner = attempt.owner().getBytes(UTF_8);
    this.shared = attempt.sharedOwner();
    this.leaseUs = Micros.of(attempt.lease());
    this.tokens = attempt.tokens();
    this.stayUs = attempt.waits() ? Recheck.stayUs(attempt.patience()) : 0;
    this.units = attempt.units();
    this.capacity = attempt.capacity();
    this.beside = own == null ? null : own.low();
  }

  /**
   * Returns the id of the hold that it asks for.
   *
   * @return the id
   */
  public HoldId id() {
    return id;
  }

  /**
   * Returns the owner for a statement that takes no bytes.
   *
   * @return its UTF-8 in hexadecimal digits
   */
  public String ownerDigits() {
    return HexFormat.of().formatHex(owner);
  }

  /**
   * Returns the lease.
   *
   * @return microseconds
   */
  public long leaseUs() {
    return leaseUs;
  }

  /**
   * Returns how many fencing tokens it wants.
   *
   * @return at least 1
   */
  public int tokens() {
    return tokens;
  }

  /**
   * Returns how long it stays in the queue without a sign of life.
   *
   * @return microseconds; 0 if it does not wait
   */
  public long stayUs() {
    return stayUs;
  }

  /**
   * Tells whether it may share the lock.
   *
   * @return whether it is for a part of it
   */
  public boolean isCounted() {
    return capacity > 1;
  }

  /**
   * Tells whether it has nothing to do but stand in the queue, if the lock is held.
   *
   * @return whether it waits, for the lock alone, and for no shared owner
   */
  public boolean onlyQueues() {
    return stayUs > 0 && !shared && !isCounted();
  }
}
