package dev.interlock.spring;

import dev.interlock.HoldInfo;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.spring.internal.lease.LockGate;
import dev.interlock.spring.internal.lease.LockGates;
import dev.interlock.spring.internal.observability.HeldLocks;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
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
@RegisterReflectionForBinding(LocksEndpoint.Held.class) // which no operation declares
final class LocksEndpoint {
  private final LockClient unnamed;
  private final LockGates gates;
  private final HeldLocks held;

  LocksEndpoint(LockClient unnamed, LockGates gates, HeldLocks held) {
    this.unnamed = unnamed;
    this.gates = gates;
    this.held = held;
  }

  /**
   * Lists what this application holds.
   *
   * @param name if it is given, the same as {@link #lock}: servers take no slash within a path's
   *     segment, which a lock may have in its name
   */
  @ReadOperation
  @Nullable
  Object locks(@Nullable String name, @Nullable String client) {
    return name == null ? list() : lock(name, client);
  }

  Held list() {
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
    return client(client).inspect(checked(name)).map(LockState::of).orElse(null);
  }

  /**
   * Takes a lock from its holder, whose lease is lost; if a token is given, only from the hold that
   * has it.
   */
  @DeleteOperation
  Forced forceRelease(@Selector String name, @Nullable Long fencingToken, @Nullable String client) {
    LockClient owner = client(client);
    String lock = checked(name);
    return new Forced(
        fencingToken == null ? owner.forceRelease(lock) : owner.forceRelease(lock, fencingToken));
  }

  /** The same for any name; see {@link #locks}. */
  @DeleteOperation
  Forced forceReleaseNamed(String name, @Nullable Long fencingToken, @Nullable String client) {
    return forceRelease(name, fencingToken, client);
  }

  private static String checked(String name) {
    try {
      return LockRequest.of(name).name();
    } catch (IllegalArgumentException e) {
      String message = String.valueOf(e.getMessage());
      throw new InvalidEndpointRequestException(message, message);
    }
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
