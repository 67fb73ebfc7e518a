package dev.interlock.redis.support.jedis;

import dev.interlock.BackendUnavailableException;
import dev.interlock.redis.support.KeyLayout;
import dev.interlock.redis.support.LockKeys;
import dev.interlock.spi.BackendEvents;
import dev.interlock.spi.ClientId;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * How waiters learn that a lock may be free: through the client's mailbox, and by looking again
 * after a time that depends on it. Thread-safe.
 *
 * <p>In a cluster there is a mailbox on every master, because {@code PUBLISH} counts who listens on
 * its own node only, and whoever frees a lock passes over those who do not listen.
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
  private final Servers servers;
  private final Duration timeout;
  private final ConcurrentHashMap<Server, Mailbox> mailboxes = new ConcurrentHashMap<>();
  private volatile @Nullable BackendEvents events;

  /**
   * Opens nothing yet.
   *
   * @param provider the provider's id, for the thread's name
   * @param layout names the channel
   * @param client whose mailbox it is
   * @param servers on which to listen
   * @param timeout how long the answer to a ping may take
   */
  public WakeUps(
      String provider, KeyLayout layout, ClientId client, Servers servers, Duration timeout) {
    this.provider = provider;
    this.layout = layout;
    this.client = client;
    this.servers = servers;
    this.timeout = timeout;
  }

  /**
   * Starts to listen. Does not block: the connections are made by the mailboxes' own threads.
   *
   * @param listener the engine
   */
  public void subscribe(BackendEvents listener) {
    events = listener;
    servers.onChange(this::follow);
    follow();
  }

  /**
   * A client that only holds locks asks for nothing, and hears of a forced release all the same.
   */
  private void follow() {
    leaveOthers();
    servers.all().forEach(this::mailbox);
  }

  /**
   * Tells when a lock that is held is to be looked at again.
   *
   * @param keys of the lock
   * @param millisLeft what is left of the holder's lease; less than 0 if it never expires
   * @param waits whether the caller counts on a wake-up
   * @return no later than the lease ends
   */
  public Duration recheck(LockKeys keys, long millisLeft, boolean waits) {
    Duration longest = waits && !isListening(keys) ? WAIT_WITHOUT_MAILBOX : LONGEST_WAIT;
    // Redis expires a key once its last millisecond has passed, not before.
    boolean expiresSooner = millisLeft >= 0 && millisLeft < longest.toMillis();
    return expiresSooner ? Duration.ofMillis(millisLeft + 1) : longest;
  }

  /** Ends threads and connections. */
  @Override
  public void close() {
    events = null;
    mailboxes.values().forEach(Mailbox::leave);
    long deadline = System.nanoTime() + timeout.toNanos();
    mailboxes.values().forEach(mailbox -> mailbox.join(deadline));
  }

  private boolean isListening(LockKeys keys) {
    Server server;
    try {
      server = servers.of(keys).server();
    } catch (BackendUnavailableException e) {
      return false; // what was asked before was answered, and stays true
    }
    Mailbox open = mailboxes.get(server);
    if (open == null) {
      leaveOthers();
      open = mailbox(server);
    }
    if (open == null) {
      return false;
    }
    open.check();
    return open.isListening();
  }

  private @Nullable Mailbox mailbox(Server server) {
    Mailbox open = mailboxes.computeIfAbsent(server, this::open);
    if (open != null && events == null) {
      open.leave(); // close() may have looked before it was there
    }
    return open;
  }

  private @Nullable Mailbox open(Server server) {
    BackendEvents listener = events;
    if (listener == null) {
      return null;
    }
    return Mailbox.open(
        "interlock-" + provider + "-mailbox-" + client.id(),
        layout.mailbox(client.id()),
        () -> new JedisMailboxLink(server.connections().openListener()),
        new FilteredEvents(server, servers, layout, listener),
        timeout);
  }

  /** A new server has taken the place of another one, on which nothing is to be heard any more. */
  private void leaveOthers() {
    mailboxes.forEach((server, mailbox) -> {
      if (!servers.all().contains(server) && mailboxes.remove(server, mailbox)) {
        mailbox.leave();
      }
    });
  }
}
