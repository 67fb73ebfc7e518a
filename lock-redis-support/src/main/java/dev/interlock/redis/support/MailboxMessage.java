package dev.interlock.redis.support;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.interlock.spi.BackendEvents;
import dev.interlock.spi.HoldId;
import java.util.Optional;

/**
 * What one client tells another through its mailbox.
 *
 * <p>On the wire: one letter for the kind, the 32 digits of the hold id, and the name, which may
 * hold anything. A script writes a wake-up as {@code 'w' .. id .. name}, a revocation as {@code 'r'
 * .. id .. name}.
 */
public sealed interface MailboxMessage {
  /** One letter and the digits of the hold id. */
  int NAME_AT = 33;

  /** The lock. */
  String name();

  /** The attempt or the hold. */
  HoldId id();

  /**
   * The lock may be free: attempt again.
   *
   * @param name the lock
   * @param id the attempt that waits
   */
  record Wake(String name, HoldId id) implements MailboxMessage {}

  /**
   * A hold was taken away.
   *
   * @param name the lock
   * @param id the hold
   */
  record Revoked(String name, HoldId id) implements MailboxMessage {}

  /**
   * Writes a message.
   *
   * @return its bytes
   */
  default byte[] encode() {
    String kind = this instanceof Wake ? "w" : "r";
    return (kind + id() + name()).getBytes(UTF_8);
  }

  /**
   * Reads a message.
   *
   * @param bytes what came through the mailbox
   * @return the message; empty if it is none, such as that of a later version
   */
  static Optional<MailboxMessage> parse(byte[] bytes) {
    if (bytes.length < NAME_AT) {
      return Optional.empty();
    }
    try {
      HoldId id = HoldId.parse(new String(bytes, 1, NAME_AT - 1, ISO_8859_1));
      String name = new String(bytes, NAME_AT, bytes.length - NAME_AT, UTF_8);
      return switch (bytes[0]) {
        case 'w' -> Optional.of(new Wake(name, id));
        case 'r' -> Optional.of(new Revoked(name, id));
        default -> Optional.empty();
      };
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  /**
   * Hands a message to the engine.
   *
   * @param events the engine
   */
  default void deliver(BackendEvents events) {
    if (this instanceof Wake) {
      events.wake(name(), id());
    } else {
      events.revoked(name(), id());
    }
  }
}
