package dev.interlock.redis.hash.internal.push;

import dev.interlock.redis.support.MailboxMessage;
import dev.interlock.spi.BackendEvents;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/**
 * Hands the messages to a client to the engine, on Lettuce's own thread: nothing here blocks.
 *
 * <p>Lettuce replaces a lost connection and subscribes again; after each subscription, also that on
 * one more node of a cluster, the engine is told that messages may have been lost.
 */
public final class PushMailbox implements Listeners.Mailbox, AutoCloseable {
  private static final Logger LOG = System.getLogger(PushMailbox.class.getName());

  /** How long nothing may have been heard before a sign of life is asked for. */
  private static final Duration QUIET = Duration.ofSeconds(2);

  private final Listeners listeners;
  private final byte[] channel;
  private final Function<String, SendTimes> sendTimes;
  private final BackendEvents events;
  private final Queue<Ear> ears = new ConcurrentLinkedQueue<>();
  private volatile boolean complained;
  private volatile boolean closed;

  private PushMailbox(
      Listeners listeners,
      byte[] channel,
      Function<String, SendTimes> sendTimes,
      BackendEvents events) {
    this.listeners = listeners;
    this.channel = channel;
    this.sendTimes = sendTimes;
    this.events = events;
  }

  /**
   * Starts to listen; does not wait for the server.
   *
   * @param sendTimes finds, for a lock's name, what is known of the time of its server
   */
  public static PushMailbox open(
      Listeners listeners,
      byte[] channel,
      Function<String, SendTimes> sendTimes,
      BackendEvents events) {
    PushMailbox mailbox = new PushMailbox(listeners, channel, sendTimes, events);
    listeners.attach(mailbox);
    return mailbox;
  }

  /**
   * Subscribes where that has not succeeded yet, and now and then where it has: who only listens
   * never finds out that the other end has gone, nor that it has refused to let Lettuce subscribe
   * again. To be called whenever somebody waits; quick.
   */
  public void check() {
    listeners.check();
    ears.forEach(Ear::check);
  }

  @Override
  public void opened(StatefulRedisPubSubConnection<byte[], byte[]> connection) {
    Ear ear = new Ear(connection);
    ears.add(ear);
    ear.listen();
    ear.check();
  }

  @Override
  public void closed(StatefulRedisPubSubConnection<byte[], byte[]> connection) {
    ears.removeIf(ear -> {
      boolean its = ear.connection == connection;
      if (its) {
        ear.leave();
      }
      return its;
    });
  }

  private void granted(GrantMessage message) {
    OptionalLong notBefore =
        sendTimes.apply(message.grant().name()).notLaterThan(message.serverMicros());
    if (notBefore.isPresent()) {
      events.granted(message.grant(), notBefore.getAsLong());
    } else {
      events.wake(message.grant().name(), message.grant().id());
    }
  }

  @Override
  public void close() {
    closed = true; // a subscription that is under way fails now, which nobody needs to hear of
    listeners.close();
    ears.forEach(Ear::leave);
  }

  /** One connection that listens. */
  private final class Ear extends RedisPubSubAdapter<byte[], byte[]> {
    final StatefulRedisPubSubConnection<byte[], byte[]> connection;
    private final Subscription subscription = new Subscription();
    private final AtomicBoolean subscribing = new AtomicBoolean();
    private final AtomicLong askedAt = new AtomicLong(System.nanoTime());
    private final AtomicLong heardAt = new AtomicLong(System.nanoTime());
    private volatile boolean everSubscribed;

    Ear(StatefulRedisPubSubConnection<byte[], byte[]> connection) {
      this.connection = connection;
    }

    void listen() {
      connection.addListener(subscription);
      connection.addListener(this);
    }

    void leave() {
      connection.removeListener(this);
      connection.removeListener(subscription);
    }

    /**
     * Lettuce repeats only a subscription that the server has confirmed once. Without an answer,
     * {@code ReplyTimeout} closes a connection of our own.
     */
    void check() {
      if (everSubscribed ? !needsSignOfLife() : !mayAsk()) {
        return;
      }
      connection.async().subscribe(channel).whenComplete((done, refusal) -> {
        subscribing.set(false);
        if (refusal != null && !complained && !closed) {
          complained = true;
          LOG.log(Level.WARNING, "No mailbox yet, so waits for locks are slower", refusal);
        }
      });
    }

    /**
     * One question at a time, unless it is not answered: a client of an application's own may drop
     * one as its connection breaks, without a word.
     */
    private boolean mayAsk() {
      long asked = askedAt.get();
      long now = System.nanoTime();
      return (subscribing.compareAndSet(false, true) || now - asked > QUIET.toNanos())
          && askedAt.compareAndSet(asked, now);
    }

    /** While Lettuce connects again there is nobody to ask. */
    private boolean needsSignOfLife() {
      long heard = heardAt.get();
      long now = System.nanoTime();
      return now - heard > QUIET.toNanos()
          && connection.isOpen()
          && heardAt.compareAndSet(heard, now);
    }

    @Override
    public void subscribed(byte[] confirmed, long count) {
      everSubscribed = true;
      heardAt.set(System.nanoTime());
      complained = false;
      if (subscription.confirm()) {
        events.inDoubt();
      }
    }

    @Override
    public void message(byte[] from, byte[] message) {
      heardAt.set(System.nanoTime());
      try {
        if (GrantMessage.isOne(message)) {
          GrantMessage.parse(message).ifPresent(PushMailbox.this::granted);
        } else {
          MailboxMessage.parse(message).ifPresent(known -> known.deliver(events));
        }
      } catch (RuntimeException e) {
        LOG.log(Level.WARNING, "A message could not be handled; the waiter will look again", e);
      }
    }
  }
}
