package dev.interlock.compare.facts;

import dev.interlock.HoldInfo;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.compare.peers.Clients;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * What a hold leaves on the server, by which it is known there. A library that cannot be asked for
 * its holds is not asked by taking the lock: the release would wake those who wait, and use up a
 * fencing token.
 */
final class Traces {
  private final String name;
  private final Lease lease;
  private final Optional<Long> token;
  private final Set<String> left;

  private Traces(String name, Lease lease, Set<String> left) {
    this.name = name;
    this.lease = lease;
    // Not every lease that was released can be asked.
    this.token = Offered.ask(lease::fencingToken);
    this.left = left;
  }

  /** What makes a hold. */
  interface Acquiring {
    Lease acquire() throws InterruptedException;
  }

  /**
   * Makes a hold, and looks what it leaves.
   *
   * @throws IllegalStateException if it leaves nothing
   */
  static Traces of(String uri, String name, Acquiring acquiring) throws InterruptedException {
    if (Clients.isOurs(uri)) {
      return new Traces(name, acquiring.acquire(), Set.of());
    }
    Set<String> before = Clients.kept(uri);
    Lease lease = acquiring.acquire();
    Set<String> left = new HashSet<>(Clients.kept(uri));
    left.removeAll(before);
    if (left.isEmpty()) {
      throw new IllegalStateException("the hold has left nothing on the server");
    }
    return new Traces(name, lease, left);
  }

  Lease lease() {
    return lease;
  }

  /** The fencing token of the hold, if there is one. */
  Optional<Long> token() {
    return token;
  }

  /** Whether the hold is known at a server, asked through a client that is new there. */
  boolean areAt(String uri) {
    if (!Clients.isOurs(uri)) {
      return Clients.kept(uri).containsAll(left);
    }
    try (LockClient client = Clients.open(uri)) {
      return client.inspect(name).map(HoldInfo::fencingToken).equals(token);
    }
  }
}
