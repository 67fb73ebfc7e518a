package dev.interlock.spring;

import dev.interlock.HoldInfo;
import dev.interlock.LockClient;
import dev.interlock.spring.internal.lease.LockGate;
import dev.interlock.spring.internal.lease.LockGates;
import dev.interlock.spring.internal.observability.HeldLocks;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

/**
 * Shows locks to operators, and takes one from its holder if
 * {@code management.endpoint.locks.access=unrestricted} allows it.
 */
@Endpoint(id = "locks", defaultAccess = Access.READ_ONLY)
final class LocksEndpoint {
  private final LockClient unnamed;
  private final LockGates gates;
  private final HeldLocks held;

  LocksEndpoint(LockClient unnamed, LockGates gates, HeldLocks held) {
    this.unnamed = unnamed;
    this.gates = gates;
    this.held = held;
  }

  /** Lists what this application holds. */
  @ReadOperation
  Held locks() {
    return new Held(held.list());
  }

  /**
   * Asks the server who holds a lock; nothing is found if it is free.
   *
   * @param client whose lock, if not that of the client without a name
   */
  @ReadOperation
  @Nullable
  LockState lock(@Selector String name, @Nullable String client) {
    return client(client).inspect(name).map(LockState::of).orElse(null);
  }

  /**
   * Takes a lock from its holder, whose lease is lost; if a token is given, only from the hold that
   * has it.
   */
  @DeleteOperation
  Forced forceRelease(@Selector String name, @Nullable Long fencingToken, @Nullable String client) {
    LockClient owner = client(client);
    return new Forced(
        fencingToken == null ? owner.forceRelease(name) : owner.forceRelease(name, fencingToken));
  }

  private LockClient client(@Nullable String name) {
    if (name == null) {
      return unnamed;
    }
    LockGate gate = gates.find(name);
    if (gate == null) {
      String message = "there is no client '%s'; there are %s"
          .formatted(name, gates.clients().keySet());
      throw new InvalidEndpointRequestException(message, message);
    }
    return gate.client();
  }

  /**
   * What this application holds.
   *
   * @param held by name
   */
  record Held(List<HeldLocks.HeldLock> held) {}

  /**
   * What the server says of a held lock; see {@link HoldInfo}.
   *
   * @param others who hold it together with the first, each without others of its own
   */
  record LockState(
      String name,
      String owner,
      String host,
      Instant since,
      Duration remaining,
      long fencingToken,
      int waiters,
      List<LockState> others) {
    static LockState of(HoldInfo info) {
      return new LockState(
          info.name(),
          info.owner(),
          info.host(),
          info.since(),
          info.remaining(),
          info.fencingToken(),
          info.waiters(),
          info.others().stream().map(LockState::of).toList());
    }
  }

  /**
   * What a forced release did.
   *
   * @param released whether the lock was held
   */
  record Forced(boolean released) {}
}
