package dev.interlock.redis.support.jedis;

import dev.interlock.redis.support.KeyLayout;
import dev.interlock.redis.support.Mailbox;
import dev.interlock.spi.BackendEvents;
import dev.interlock.spi.ClientId;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How waiters learn that a lock may be free: through the client's mailbox, and by looking again
 * after a time that depends on it. Thread-safe.
 *
 * <p>The mailbox is opened at once, on its own thread, and not when somebody first waits: a holder
 * hears of a forced release through it, and the first wait finds it ready.
 */
public final class WakeUps implements AutoCloseable {
  /** A waiter looks again after this time, whatever it was told. */
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(3);

  /** The same while no wake-up can arrive. */
  private static final Duration WAIT_WITHOUT_MAILBOX = Duration.ofMillis(200);

  private final String provider;
  private final KeyLayout layout;
  private final ClientId client;
  private final Connections connections;
  private final Duration timeout;
  private volatile @Nullable Mailbox mailbox;

  /**
   * Opens nothing yet.
   *
   * @param provider the provider's id, for the thread's name
   * @param layout names the channel
   * @param client whose mailbox it is
   * @param connections opens the listening connection
   * @param timeout how long the answer to a ping may take
   */
  public WakeUps(
      String provider,
      KeyLayout layout,
      ClientId client,
      Connections connections,
      Duration timeout) {
    this.provider = provider;
    this.layout = layout;
    this.client = client;
    this.connections = connections;
    this.timeout = timeout;
  }

  /**
   * Starts to listen. Does not block: the connection is made by the mailbox's own thread.
   *
   * @param events the engine
   */
  public void subscribe(BackendEvents events) {
    mailbox = Mailbox.open(
        "interlock-" + provider + "-mailbox-" + client.id(),
        layout.mailbox(client.id()),
        () -> new JedisMailboxLink(connections.openListener()),
        events,
        timeout);
  }

  /**
   * Tells when a lock that is held is to be looked at again.
   *
   * @param millisLeft what is left of the holder's lease; less than 0 if it never expires
   * @param waits whether the caller counts on a wake-up
   * @return no later than the lease ends
   */
  public Duration recheck(long millisLeft, boolean waits) {
    Duration longest = waits && !isListening() ? WAIT_WITHOUT_MAILBOX : LONGEST_WAIT;
    // Redis expires a key once its last millisecond has passed, not before.
    boolean expiresSooner = millisLeft >= 0 && millisLeft < longest.toMillis();
    return expiresSooner ? Duration.ofMillis(millisLeft + 1) : longest;
  }

  /** Ends thread and connection. */
  @Override
  public void close() {
    Mailbox open = mailbox;
    if (open != null) {
      open.close();
    }
  }

  private boolean isListening() {
    Mailbox open = mailbox;
    if (open == null) {
      return false;
    }
    open.check();
    return open.isListening();
  }
}
