package dev.interlock.internal.engine;

import dev.interlock.LockKind;
import dev.interlock.spi.HoldId;
import org.jspecify.annotations.Nullable;

/** What the owners hold whom this client knows: its threads, and those with a name. */
final class Owners {
  private final HoldIndex index;
  private final Holds holds;

  Owners(HoldIndex index, Holds holds) {
    this.index = index;
    this.holds = holds;
  }

  /**
   * Finds the valid hold of this kind of an owner, if there is one. One that is not valid is over
   * from then on: its owner hears that it has none, and will not unlock it, so no late answer to a
   * renewal may make it valid again.
   */
  @Nullable
  Hold heldBy(String name, @Nullable Object owner, LockKind kind) {
    Hold hold = index.byOwner(name, owner, kind);
    if (hold == null || hold.isValid()) {
      return hold;
    }
    holds.expired(hold);
    return null;
  }

  /**
   * Finds what a reader's owner holds as a writer: the server lets the reader in beside it. From
   * now on the lock is not passed on without the server, which could not tell the next holder from
   * that owner.
   */
  @Nullable
  HoldId writtenBy(Grantee reader) {
    if (reader.kind() != LockKind.SHARED) {
      return null;
    }
    Hold hold = heldBy(reader.name(), reader.owner(), LockKind.EXCLUSIVE);
    return hold != null && hold.remote().stayWith(hold) ? hold.remote().id() : null;
  }

  /** Refuses to let a reader wait, as a writer, for itself. */
  void requireNoUpgrade(Grantee writer) {
    if (writer.isCounted() || index.hasNoneCounted()) {
      return;
    }
    boolean reads = heldBy(writer.name(), writer.owner(), LockKind.SHARED) != null;
    if (reads && heldBy(writer.name(), writer.owner(), LockKind.EXCLUSIVE) == null) {
      throw new IllegalStateException(
          "lock '%s': its reader would wait for itself as a writer: unlock the read lock first"
              .formatted(writer.name()));
    }
  }
}
