package dev.interlock.redis.support;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.interlock.spi.BackendEvents;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import java.time.Duration;
import java.util.Optional;

/**
 * What one client tells another through its mailbox.
 *
 * <p>On the wire: one letter for the kind, the 32 digits of the hold id, for a grant the token, the
 * number of tokens and the lease in milliseconds, each followed by a blank, and at the end the
 * name, which may hold anything. A script writes a wake-up as {@code 'w' .. id .. name}, a
 * revocation as {@code 'r' .. id .. name}, a grant as {@code 'g' .. id .. token .. ' ' .. tokens ..
 * ' ' .. lease .. ' ' .. name}.
 */
public sealed interface MailboxMessage {

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
   * A release handed the lock to a waiter.
   *
   * @param grant what was granted
   */
  record Granted(Grant grant) implements MailboxMessage {}

  /**
   * Writes a message.
   *
   * @return its bytes
   */
  default byte[] encode() {
    if (this instanceof Wake wake) {
      return ("w" + wake.id() + wake.name()).getBytes(UTF_8);
    }
    if (this instanceof Revoked revoked) {
      return ("r" + revoked.id() + revoked.name()).getBytes(UTF_8);
    }
    Grant grant = ((Granted) this).grant();
    String numbers =
        grant.fencingToken() + " " + grant.tokens() + " " + grant.lease().toMillis();
    return ("g" + grant.id() + numbers + " " + grant.name()).getBytes(UTF_8);
  }

  /**
   * Reads a message.
   *
   * @param bytes what came through the mailbox
   * @return the message; empty if it is none, such as that of a later version
   */
  static Optional<MailboxMessage> parse(byte[] bytes) {
    if (bytes.length < Layout.ID_END) {
      return Optional.empty();
    }
    try {
      HoldId id = HoldId.parse(new String(bytes, 1, Layout.ID_END - 1, ISO_8859_1));
      return switch (bytes[0]) {
        case 'w' -> Optional.of(new Wake(Layout.text(bytes, Layout.ID_END), id));
        case 'r' -> Optional.of(new Revoked(Layout.text(bytes, Layout.ID_END), id));
        case 'g' -> Optional.of(Layout.grant(bytes, id));
        default -> Optional.empty();
      };
    } catch (IllegalArgumentException | ArithmeticException e) {
      return Optional.empty();
    }
  }

  /**
   * Hands a message to the engine.
   *
   * @param events the engine
   */
  default void deliver(BackendEvents events) {
    if (this instanceof Wake wake) {
      events.wake(wake.name(), wake.id());
    } else if (this instanceof Revoked revoked) {
      events.revoked(revoked.name(), revoked.id());
    } else if (this instanceof Granted granted) {
      // When the server granted it is not known here, so the engine confirms by a repeated attempt.
      events.wake(granted.grant().name(), granted.grant().id());
    }
  }

  /** The positions within a message. */
  final class Layout {
    private static final int ID_END = 33;

    private Layout() {}

    private static Granted grant(byte[] bytes, HoldId id) {
      int first = blank(bytes, ID_END);
      int second = blank(bytes, first + 1);
      int third = blank(bytes, second + 1);
      return new Granted(new Grant(
          text(bytes, third + 1),
          id,
          number(bytes, ID_END, first),
          Math.toIntExact(number(bytes, first + 1, second)),
          Duration.ofMillis(number(bytes, second + 1, third))));
    }

    private static int blank(byte[] bytes, int from) {
      for (int i = from; i < bytes.length; i++) {
        if (bytes[i] == ' ') {
          return i;
        }
      }
      throw new IllegalArgumentException("cut short");
    }

    private static long number(byte[] bytes, int from, int to) {
      return Long.parseLong(new String(bytes, from, to - from, ISO_8859_1));
    }

    private static String text(byte[] bytes, int from) {
      return new String(bytes, from, bytes.length - from, UTF_8);
    }
  }
}
