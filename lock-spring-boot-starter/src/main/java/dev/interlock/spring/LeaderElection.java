package dev.interlock.spring;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockKind;
import dev.interlock.LockRequest;
import dev.interlock.spring.internal.lease.Ending;
import dev.interlock.spring.internal.lease.LeaseScope;
import dev.interlock.spring.internal.lease.Losses;
import java.lang.System.Logger.Level;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.ApplicationEventPublisherAware;
import org.springframework.context.SmartLifecycle;

/**
 * Lets one of several instances lead: the one that holds a lock, from the start of the application
 * to its shutdown. As a bean it starts after and stops before everything else, and publishes
 * {@link LeadershipGained} and {@link LeadershipLost}.
 *
 * <p>Whoever is the leader may have lost the lock without knowing it yet, as every holder of a
 * lease: what it writes should carry the fencing token. A server that cannot be reached costs the
 * leadership when the lease is over; the election goes on until it is stopped. Thread-safe.
 */
public final class LeaderElection
    implements SmartLifecycle, ApplicationEventPublisherAware, AutoCloseable {
  private final LockClient client;
  private final LockRequest request;
  private final LeaderCallback callback;
  private volatile ApplicationEventPublisher events = event -> {};
  private volatile @Nullable Campaign campaign;

  /**
   * Creates an election that only publishes events.
   *
   * @param client stays the caller's
   * @param name the lock's name
   */
  public LeaderElection(LockClient client, String name) {
    this(client, LockRequest.of(name), lease -> {});
  }

  /**
   * Creates an election.
   *
   * @param client stays the caller's
   * @param request what the leader holds; it is waited for without limit, and renewed
   * @param callback told after the events
   * @throws IllegalArgumentException if the request limits the wait, has a lease that is not
   *     renewed, or lets others hold the lock beside the leader
   */
  public LeaderElection(LockClient client, LockRequest request, LeaderCallback callback) {
    if (request.maxWait().isPresent() || !request.isRenewing()) {
      throw new IllegalArgumentException(
          "a leader waits without limit and renews its lease: leave out withWait, and add"
              + " renewing() to withLease");
    }
    if (request.owner().isPresent() || request.kind() != LockKind.EXCLUSIVE) {
      throw new IllegalArgumentException(
          "a leader holds the lock alone: leave out withOwner, shared and permits");
    }
    this.client = Objects.requireNonNull(client, "client");
    this.request = request;
    this.callback = Objects.requireNonNull(callback, "callback");
  }

  @Override
  public void setApplicationEventPublisher(ApplicationEventPublisher publisher) {
    events = publisher;
  }

  /**
   * Tells whether this instance certainly leads, without I/O.
   *
   * @return false from the loss on, also before events and callback have told of it
   */
  public boolean isLeader() {
    return lease().isPresent();
  }

  /**
   * Returns the lease of the leader.
   *
   * @return empty if this instance does not lead
   */
  public Optional<Lease> lease() {
    Campaign current = campaign;
    return current == null ? Optional.empty() : current.lease();
  }

  @Override
  public synchronized void start() {
    if (campaign == null) {
      campaign = new Campaign(client, request, told());
      campaign.start();
    }
  }

  /** The events and then the callback. */
  private LeaderCallback told() {
    return new LeaderCallback() {
      @Override
      public void gained(Lease lease) throws Exception {
        try {
          events.publishEvent(new LeadershipGained(lease.name(), Losses.token(lease)));
        } catch (RuntimeException e) { // whoever only listens does not end the leadership
          Ending.LOG.log(Level.WARNING, "A listener of a leader's gain failed", e);
        }
        callback.gained(lease);
      }

      @Override
      public void lost(Lease lease) {
        try {
          events.publishEvent(new LeadershipLost(lease.name(), Losses.token(lease)));
        } finally {
          callback.lost(lease);
        }
      }
    };
  }

  @Override
  public boolean isRunning() {
    return campaign != null;
  }

  /**
   * Gives up the leadership, and returns when that is done. Within the callback it returns at once,
   * with the interrupt that ends the callback's work.
   */
  @Override
  public void stop() {
    CountDownLatch stopped = new CountDownLatch(1);
    stop(stopped::countDown, true);
    try {
      stopped.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * The same without waiting. Callback and listeners that close their own application are not
   * interrupted, or its shutdown would be cut short: they should return after it.
   */
  @Override
  public void stop(Runnable stopped) {
    stop(stopped, false);
  }

  private synchronized void stop(Runnable stopped, boolean interruptsItself) {
    Campaign current = campaign;
    campaign = null;
    // A leader that closes its own application would wait for itself.
    boolean waits = current != null && !current.isCurrentThread();
    if (current != null) {
      current.stop(waits ? stopped : () -> {}, waits || interruptsItself);
      if (!waits && !interruptsItself) {
        LeaseScope.leaveUninterrupted(); // by the client, when it is closed in its turn
      }
    }
    if (!waits) {
      stopped.run();
    }
  }

  /** The same as {@link #stop()}. */
  @Override
  public void close() {
    stop();
  }
}
