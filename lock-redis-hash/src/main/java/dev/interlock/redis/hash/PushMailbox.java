package dev.interlock.redis.hash;

import dev.interlock.redis.support.MailboxMessage;
import dev.interlock.spi.BackendEvents;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Hands the messages to a client to the engine, on Lettuce's own thread: nothing here blocks.
 *
 * <p>Lettuce replaces a lost connection and subscribes again; after each subscription the engine is
 * told that messages may have been lost.
 */
final class PushMailbox extends RedisPubSubAdapter<byte[], byte[]> implements AutoCloseable {
  private static final Logger LOG = System.getLogger(PushMailbox.class.getName());

  private final StatefulRedisPubSubConnection<byte[], byte[]> connection;
  private final byte[] channel;
  private final SendTimes sendTimes;
  private final BackendEvents events;
  private final AtomicBoolean subscribing = new AtomicBoolean();
  private volatile boolean everSubscribed;
  private volatile boolean complained;
  private volatile boolean closed;

  private PushMailbox(
      StatefulRedisPubSubConnection<byte[], byte[]> connection,
      byte[] channel,
      SendTimes sendTimes,
      BackendEvents events) {
    this.connection = connection;
    this.channel = channel;
    this.sendTimes = sendTimes;
    this.events = events;
  }

  /** Starts to listen; does not wait for the server. */
  static PushMailbox open(
      StatefulRedisPubSubConnection<byte[], byte[]> connection,
      byte[] channel,
      SendTimes sendTimes,
      BackendEvents events) {
    PushMailbox mailbox = new PushMailbox(connection, channel, sendTimes, events);
    connection.addListener(mailbox);
    mailbox.check();
    return mailbox;
  }

  /**
   * Subscribes if that has not succeeded yet: Lettuce repeats only a subscription that the server
   * has confirmed once. To be called whenever somebody waits; quick.
   */
  void check() {
    if (everSubscribed || !subscribing.compareAndSet(false, true)) {
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

  @Override
  public void subscribed(byte[] confirmed, long count) {
    everSubscribed = true;
    complained = false;
    events.inDoubt();
  }

  @Override
  public void message(byte[] from, byte[] message) {
    try {
      if (GrantMessage.isOne(message)) {
        GrantMessage.parse(message).ifPresent(this::granted);
      } else {
        MailboxMessage.parse(message).ifPresent(known -> known.deliver(events));
      }
    } catch (RuntimeException e) {
      LOG.log(Level.WARNING, "A message could not be handled; the waiter will look again", e);
    }
  }

  private void granted(GrantMessage message) {
    OptionalLong notBefore = sendTimes.notLaterThan(message.serverMicros());
    if (notBefore.isPresent()) {
      events.granted(message.grant(), notBefore.getAsLong());
    } else {
      events.wake(message.grant().name(), message.grant().id());
    }
  }

  @Override
  public void close() {
    closed = true; // a subscription that is under way fails now, which nobody needs to hear of
    connection.removeListener(this);
  }
}
