package dev.interlock.mysql.internal.queue;

import dev.interlock.spi.HoldId;
import java.util.List;

/**
 * A row of the lock table. Mutable: read under the row lock, changed by a transaction, written
 * back.
 */
public final class LockRow {
  private static final byte[] NOBODY = {};

  long client;
  long hold;
  byte[] owner = NOBODY;
  boolean shared;
  byte[] host = NOBODY;
  long sinceUs;
  long untilUs;
  long token;
  int tokens = 1;
  public long lastToken;
  long claimant;
  long ticket;
  long lastHeir;
  long nextTicket = 1;
  int entries;

  boolean isFree() {
    return untilUs == 0;
  }

  /** Whether only holds that share the lock have it: it then tells when the first of them ends. */
  boolean hasOnlyParts() {
    return !isFree() && client == 0 && hold == 0;
  }

  public boolean isHeldBy(HoldId id) {
    return !isFree() && hold == id.low() && client == id.high();
  }

  /** Whether it is one of the hold's tokens; its first is, also in a row where there are none. */
  boolean hasToken(long one) {
    return !isFree() && token <= one && one < token + Math.max(1, tokens);
  }

  HoldId id() {
    return new HoldId(client, hold);
  }

  void free() {
    client = 0;
    hold = 0;
    owner = NOBODY;
    shared = false;
    host = NOBODY;
    untilUs = 0;
    claimant = 0;
    ticket = 0;
    lastHeir = 0;
  }

  /** Gives it to whoever the entry describes, with fresh fencing tokens. */
  void grantTo(Entry to, long now, long leaseUs) {
    grantTo(to, now, leaseUs, List.of());
  }

  /**
   * The same, with a token for each of those behind it to whom its client may pass the lock.
   *
   * @param heirs in the order of their tickets
   */
  void grantTo(Entry to, long now, long leaseUs, List<Entry> heirs) {
    hand(to, now, now + leaseUs);
    token = nextToken(now);
    tokens = Math.max(to.tokens, 1 + heirs.size());
    lastToken = token + tokens - 1;
    lastHeir = heirs.isEmpty() ? 0 : heirs.get(heirs.size() - 1).ticket;
  }

  /** A fencing token that is larger than all before. */
  long nextToken(long now) {
    // The server's clock, so that tokens go on rising even if all state was lost.
    lastToken = Math.max(lastToken + 1, now);
    return lastToken;
  }

  /** Moves the fencing tokens up to a larger first one. */
  void raise(long larger) {
    token = larger;
    lastToken = Math.max(lastToken, token + tokens - 1);
  }

  /** Makes a further hold of the same owner the first one; it keeps its fencing token. */
  void promote(Entry share) {
    hand(share, share.sinceUs, share.untilUs);
  }

  private void hand(Entry to, long since, long until) {
    client = to.client;
    hold = to.hold;
    owner = to.owner;
    shared = to.shared;
    host = to.host;
    sinceUs = since;
    untilUs = until;
    claimant = 0;
    ticket = 0;
    lastHeir = 0;
  }
}
