package dev.interlock.quorum.internal.member;

import dev.interlock.spi.LockBackend;

/** What tests do with the mark of a member, by which it remembers. */
public final class Marks {
  /** The lock that is the mark. */
  public static final String NAME = Memory.MARK;

  private Marks() {}

  /** A member loses its mark, as where it was emptied. */
  public static void forget(LockBackend server) {
    server.inspect(NAME).ifPresent(mark -> server.forceRelease(NAME, mark.fencingToken()));
  }

  /** Whether a member, which is not DURABLE, may vote. */
  public static boolean isTrusted(Membership quorum, int place, LockBackend server) {
    return new Memory(place, quorum, false).look(server).trusted();
  }
}
