package dev.interlock.redis.support.jedis;

import dev.interlock.redis.support.MailboxMessage;
import dev.interlock.spi.BackendEvents;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Listens to the mailbox of a client, on a connection and a daemon thread of its own, and hands
 * what comes to the engine. A lost connection is replaced, with growing pauses while none lasts,
 * and the engine is told after every subscription that messages may have been lost. Thread-safe.
 *
 * <p>Nothing is sent while nobody waits: a dead connection is found by {@link #check}, which every
 * attempt calls that is going to wait.
 */
final class Mailbox implements AutoCloseable {
  private static final Logger LOG = System.getLogger(Mailbox.class.getName());
  private static final Duration QUIET = Duration.ofSeconds(2);
  private static final Duration FIRST_PAUSE = Duration.ofMillis(10);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);

  /** A subscription that ends sooner was of no use, and the next one may end as soon. */
  private static final Duration LASTING = Duration.ofMillis(100);

  private static final long NOT_PINGED = Long.MIN_VALUE;

  private final byte[] channel;
  private final Supplier<? extends MailboxLink> connector;
  private final BackendEvents events;
  private final Duration timeout;
  private final Thread thread;
  private final CountDownLatch closed = new CountDownLatch(1);
  private final AtomicLong pingedAt = new AtomicLong(NOT_PINGED);
  private volatile long heardAt;
  private volatile boolean listening;
  private int failures; // in a row; used by the mailbox's own thread only
  private volatile @Nullable MailboxLink link;

  private Mailbox(
      String threadName,
      byte[] channel,
      Supplier<? extends MailboxLink> connector,
      BackendEvents events,
      Duration timeout) {
    this.channel = channel;
    this.connector = connector;
    this.events = events;
    this.timeout = timeout;
    this.thread = new Thread(this::run, threadName);
    this.thread.setDaemon(true);
  }

  /**
   * Starts to listen. Does not block: the connection is made by the mailbox's own thread.
   *
   * @param connector opens a connection within a bounded time, or throws
   * @param timeout how long the answer to a ping may take
   */
  static Mailbox open(
      String threadName,
      byte[] channel,
      Supplier<? extends MailboxLink> connector,
      BackendEvents events,
      Duration timeout) {
    Mailbox mailbox = new Mailbox(threadName, channel, connector, events, timeout);
    mailbox.thread.start();
    return mailbox;
  }

  /** Whether the server has confirmed the subscription, and nothing is known to be wrong. */
  boolean isListening() {
    return listening;
  }

  /**
   * Makes sure that a dead connection is found: asks for a sign of life if there was none lately,
   * and replaces a connection that did not give one in time. Quick; to be called whenever somebody
   * begins to wait or looks again.
   */
  void check() {
    MailboxLink current = link;
    if (!listening || current == null) {
      return;
    }
    long now = System.nanoTime();
    long pinged = pingedAt.get();
    if (pinged != NOT_PINGED) {
      if (now - pinged > timeout.toNanos()) {
        current.close();
      }
    } else if (now - heardAt > QUIET.toNanos() && pingedAt.compareAndSet(NOT_PINGED, now)) {
      ping(current);
    }
  }

  /** Ends thread and connection, and waits for the thread a little. Idempotent. */
  @Override
  public void close() {
    leave();
    join(System.nanoTime() + timeout.toNanos());
  }

  /** The same without waiting. */
  void leave() {
    closed.countDown();
    MailboxLink current = link;
    if (current != null) {
      current.close();
    }
  }

  /**
   * Waits for the end of the thread after {@link #leave}.
   *
   * @param deadline by {@link System#nanoTime()}
   */
  void join(long deadline) {
    if (Thread.currentThread() == thread) {
      return;
    }
    long left = deadline - System.nanoTime();
    try {
      thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(left) + 1)); // 0 would be for ever
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    Duration pause = FIRST_PAUSE;
    while (!isClosed()) {
      pause = listen() ? FIRST_PAUSE : longer(pause);
      rest(pause);
    }
  }

  /** Listens until the connection ends; false if there was no subscription that lasted. */
  private boolean listen() {
    long since = System.nanoTime();
    try (MailboxLink fresh = connector.get()) {
      link = fresh;
      if (!isClosed()) {
        fresh.subscribe(channel);
        heard();
        since = heardAt;
        listening = true;
        failures = 0;
        events.inDoubt();
        read(fresh);
      }
    } catch (Throwable e) { // an Error, too: without this thread nothing would be heard any more
      complain(e);
    }
    boolean lasted = listening && System.nanoTime() - since > LASTING.toNanos();
    listening = false;
    link = null;
    pingedAt.set(NOT_PINGED);
    return lasted;
  }

  private void read(MailboxLink fresh) {
    while (!isClosed()) {
      byte[] message = fresh.read();
      heard();
      if (message != null) {
        deliver(message);
      }
    }
  }

  private boolean isClosed() {
    return closed.getCount() == 0;
  }

  private void complain(Throwable cause) {
    // A connection that ends is replaced silently; only one that cannot be replaced is news.
    if (!isClosed() && !listening && ++failures == 2) {
      LOG.log(
          Level.WARNING,
          "No connection for wake-ups, so waits for locks are slower until there is one: " + cause);
    }
  }

  private void deliver(byte[] message) {
    try {
      MailboxMessage.parse(message).ifPresent(known -> known.deliver(events));
    } catch (Throwable e) {
      LOG.log(Level.WARNING, "A wake-up could not be handled; the wait will look again", e);
    }
  }

  private void heard() {
    heardAt = System.nanoTime();
    pingedAt.set(NOT_PINGED);
  }

  private static void ping(MailboxLink current) {
    try {
      current.ping();
    } catch (RuntimeException e) {
      current.close();
    }
  }

  private static Duration longer(Duration pause) {
    Duration twice = pause.multipliedBy(2);
    return twice.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : twice;
  }

  private void rest(Duration pause) {
    // Jitter, so that the clients of a restarted server do not all come back at once.
    long millis = pause.toMillis() / 2 + ThreadLocalRandom.current().nextLong(pause.toMillis());
    try {
      if (closed.await(millis, TimeUnit.MILLISECONDS)) {
        LOG.log(Level.DEBUG, "mailbox closed");
      }
    } catch (InterruptedException e) {
      // The thread belongs to this class alone and close() does not interrupt it: go on.
      LOG.log(Level.DEBUG, "interrupted while reconnecting", e);
    }
  }
}
