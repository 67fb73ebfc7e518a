package dev.interlock.compare.facts;

import dev.interlock.Capability;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.compare.peers.Clients;
import dev.interlock.tck.NotOfferedException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/** What can be asked of a client, when other libraries' locks cannot be asked all that ours can. */
final class Offered {
  private static final Duration GLANCE = Duration.ofSeconds(2);

  private static final Duration LONG_LEASE = Duration.ofSeconds(60);

  private static final int OFTEN = 50;

  private Offered() {}

  /** The answer; empty if there is no such question in the library. */
  static <T> Optional<T> ask(Supplier<T> question) {
    try {
      return Optional.of(question.get());
    } catch (NotOfferedException e) {
      return Optional.empty();
    }
  }

  /** Asks for renewal, if the client can renew. */
  static LockRequest renewing(LockClient client, LockRequest request) {
    return isRenewing(client) ? request.renewing() : request;
  }

  /** Asks for a fixed lease, if the client cannot renew and none is asked for. */
  static LockRequest usual(LockClient client, LockRequest request) {
    return isRenewing(client) || request.lease().isPresent()
        ? request
        : request.withLease(LONG_LEASE);
  }

  static boolean isRenewing(LockClient client) {
    return client.capabilities().contains(Capability.RENEWABLE);
  }

  /** Asks for fairness, if the client can be fair. */
  static LockRequest fair(LockClient client, LockRequest request) {
    return client.capabilities().contains(Capability.FAIR) ? request.fair(true) : request;
  }

  /**
   * Uses a name often, if there are fencing tokens: where they are counted for each name, a counter
   * that starts anew is behind the old one then.
   */
  static void useOften(LockClient client, LockRequest request) throws InterruptedException {
    int times = client.capabilities().contains(Capability.FENCED) ? OFTEN : 0;
    for (int i = 0; i < times; i++) {
      client.acquire(request.withLease(LONG_LEASE)).release();
    }
  }

  /**
   * Whether nobody holds it; where that cannot be asked, it is taken for a moment to find out. Not
   * for a lock for which somebody waits: the release would wake them.
   */
  static boolean isFree(LockClient client, String name) {
    Optional<Boolean> told = ask(() -> client.inspect(name).isEmpty());
    if (told.isPresent()) {
      return told.get();
    }
    Optional<Lease> taken = client.tryAcquire(LockRequest.of(name).withLease(GLANCE));
    taken.ifPresent(Lease::release);
    return taken.isPresent();
  }

  /**
   * What is thrown, by its simple name; of a peer what its library threw, not what we make of it.
   */
  static String name(String uri, RuntimeException thrown) {
    Throwable cause = thrown.getCause();
    Throwable told = Clients.isOurs(uri) || cause == null ? thrown : cause;
    return told.getClass().getSimpleName();
  }
}
