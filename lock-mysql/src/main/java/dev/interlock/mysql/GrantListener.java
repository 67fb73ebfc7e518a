package dev.interlock.mysql;

import dev.interlock.mysql.LockMapper.KnownEntry;
import dev.interlock.mysql.LockMapper.PendingGrant;
import dev.interlock.spi.BackendEvents;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.sql.support.Connections;
import dev.interlock.sql.support.Micros;
import dev.interlock.sql.support.Recheck;
import dev.interlock.sql.support.SqlCauses;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.ibatis.exceptions.PersistenceException;
import org.jspecify.annotations.Nullable;

/**
 * Listens for grants by other clients, on one connection and one thread for the whole client, and
 * only while the client has waiters.
 *
 * <p>The session holds the user-level lock {@code interlock.<client>} and waits at the server. Who
 * grants a lock to this client ends that wait after its commit with {@code KILL QUERY
 * IS_USED_LOCK('interlock.<client>')}: that names this session or none, and an account may always
 * do it to its own sessions. No wake-up is lost: it comes after the grant was committed. The wait
 * is the second statement of a packet that begins by looking for grants; a wake-up between the two
 * ends the packet, and so does one during the wait.
 *
 * <p>What it waits for is the lock {@code interlock.gate}, which one listener of all keeps, asleep:
 * only one, because on MariaDB all sleepers share a mutex, and a {@code KILL} that comes while
 * another has it stops for up to two seconds, and the others with it. Thread-safe.
 */
final class GrantListener {
  private static final long READY_NANOS = Recheck.POLL.toNanos();
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final Database database;
  private final long client;
  private final String prefix;
  private final Entries entries;
  private final double waitSeconds;
  private final long lingerNanos;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private volatile @Nullable BackendEvents events;
  private volatile Granted granted = (grant, place, notBefore) -> {};
  private volatile boolean heard;
  private volatile long lastNeeded;
  private @Nullable Thread thread;
  private @Nullable Connection connection;
  private boolean tried;
  private volatile boolean closed;

  /**
   * Creates a listener that is not up yet.
   *
   * @param client the upper half of the client's hold ids
   * @param prefix what the keys of this client's locks begin with
   * @param entries the client's waiters
   * @param waitSeconds how long one statement waits
   * @param linger how long it stays up after the last waiter
   */
  GrantListener(
      Database database,
      long client,
      String prefix,
      Entries entries,
      double waitSeconds,
      Duration linger) {
    this.database = database;
    this.client = client;
    this.prefix = prefix;
    this.entries = entries;
    this.waitSeconds = waitSeconds;
    this.lingerNanos = linger.toNanos();
  }

  /** Hears of grants. */
  interface Granted {
    /**
     * A waiter has the lock.
     *
     * @param place where the hold stands if it may share the lock; else null
     */
    void granted(Grant grant, @Nullable KnownEntry place, long notBeforeNanos);
  }

  void tell(BackendEvents listener, Granted grants) {
    events = listener;
    granted = grants;
  }

  /** Whether another client can tell this one of a grant now. */
  boolean isListening() {
    return heard;
  }

  /**
   * Sees to it that the listener is up before a waiter relies on it. Waits for that as long as the
   * waiter would need to find a grant by itself: it looks again as often until it can be told, and
   * its caller may not have the time to wait for a server or a machine that is slow.
   */
  void ensureListening() {
    lastNeeded = System.nanoTime();
    if (heard) {
      return;
    }
    lock.lock();
    try {
      if (closed) {
        return;
      }
      if (thread == null) {
        start();
      }
      long left = READY_NANOS;
      while (!tried && left > 0) {
        left = changed.awaitNanos(left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      lock.unlock();
    }
  }

  private void start() {
    Thread listener = new Thread(this::run, "interlock-grants-" + Long.toHexString(client));
    listener.setDaemon(true);
    try {
      listener.start();
      thread = listener;
      tried = false;
    } catch (OutOfMemoryError e) {
      // No thread was to be had. The re-checks do without, and the next waiter tries again.
      tried = true;
    }
  }

  private void run() {
    boolean again = false;
    while (stays()) {
      try {
        listen(again);
      } catch (SQLException | RuntimeException e) {
        // The re-checks of the waiters do without it meanwhile.
        down();
        pause();
      }
      again = true;
    }
  }

  /** Whether this thread goes on. Who needs it after a "no" starts another one. */
  private boolean stays() {
    lock.lock();
    try {
      boolean stays = isNeeded();
      if (!stays) {
        thread = null;
        down();
      }
      return stays;
    } finally {
      lock.unlock();
    }
  }

  private boolean isNeeded() {
    boolean needed = entries.hasWaiters() || System.nanoTime() - lastNeeded < lingerNanos;
    return needed && !closed;
  }

  /**
   * Whether to listen on with this session. Whoever needs it says so before looking whether it is
   * up, so after a "no" nobody relies on it: a waiter that comes then waits for the next one.
   */
  private boolean listensOn() {
    if (isNeeded()) {
      return true;
    }
    lock.lock();
    try {
      heard = false;
      heard = isNeeded();
      tried = heard;
      return heard;
    } finally {
      lock.unlock();
    }
  }

  private void listen(boolean again) throws SQLException {
    Connection taken = database.connections().listener();
    try {
      lock.lock();
      try {
        if (closed) {
          return;
        }
        connection = taken;
      } finally {
        lock.unlock();
      }
      LockMapper mapper = database.on(taken);
      Long session = mapper.becomeListener(client);
      boolean direct = ServerFacts.isDirect(taken, session);
      up(direct);
      if (session == null) {
        return; // the server has not ended the session before yet: it is tried again
      }
      if (again) {
        tellInDoubt();
      }
      Set<Long> seen = new HashSet<>();
      boolean keeper = waitSeconds < 1; // or else one that cannot wait for so short a time
      while (direct && listensOn()) {
        seen = deliver(mapper, seen);
        keeper |= waitToBeWoken(mapper, seen, keeper);
      }
      while (!direct && isNeeded()) {
        pause(); // the re-checks are frequent instead
      }
    } finally {
      database.connections().endListener(taken);
    }
  }

  /** Answers the tokens of what it found: a waiter may be granted the same lock a second time. */
  private Set<Long> deliver(LockMapper mapper, Set<Long> seen) {
    // Before the question: the server's remaining time counts from a later moment than this.
    long asked = System.nanoTime();
    List<PendingGrant> grants;
    List<LockKey> parts = entries.wantedParts();
    try {
      grants = new ArrayList<>(mapper.pendingGrants(client));
      if (!parts.isEmpty()) {
        grants.addAll(mapper.pendingParts(client, parts));
      }
    } catch (PersistenceException e) {
      rethrowUnlessWoken(e);
      return seen;
    }
    Set<Long> now = new HashSet<>();
    for (PendingGrant grant : grants) {
      now.add(grant.token);
      if (!seen.contains(grant.token)) {
        deliver(grant, asked);
      }
    }
    return now;
  }

  private void deliver(PendingGrant grant, long asked) {
    String key = new String(grant.lockKey, StandardCharsets.UTF_8);
    if (key.startsWith(prefix)) {
      String name = key.substring(prefix.length());
      HoldId id = new HoldId(grant.client, grant.hold);
      LockKey at = LockKey.of(prefix.substring(0, prefix.length() - 1), name);
      granted.granted(
          Grant.of(name, id, grant.token, Micros.toDuration(grant.remainingUs))
              .withTokens(grant.tokens)
              .withHeirs(entries.heirs(name, grant)),
          grant.counted ? new KnownEntry(name, at, Entry.SHARE, grant.ticket, id, true) : null,
          asked);
    }
  }

  /** Waits to be woken. Answers whether this session has become the keeper of the gate. */
  private boolean waitToBeWoken(LockMapper mapper, Set<Long> seen, boolean keeper) {
    List<LockKey> parts = entries.wantedParts();
    try {
      Long answer = keeper
          ? mapper.sleep(client, seen, parts, waitSeconds)
          : mapper.waitAtGate(client, seen, parts, (long) waitSeconds);
      return !keeper && answer != null && answer == 1;
    } catch (PersistenceException e) {
      rethrowUnlessWoken(e);
      return false;
    }
  }

  private static void rethrowUnlessWoken(PersistenceException e) {
    SQLException error = SqlCauses.first(e);
    if (error == null || !Faults.isPassing(error)) {
      throw e;
    }
  }

  private void up(boolean direct) {
    lock.lock();
    try {
      heard = direct && !closed;
      tried = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void down() {
    lock.lock();
    try {
      heard = false;
      tried = true;
      connection = null;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void tellInDoubt() {
    BackendEvents listener = events;
    if (listener != null) {
      listener.inDoubt();
    }
  }

  private void pause() {
    lock.lock();
    try {
      long left = RETRY_NANOS;
      while (!closed && left > 0) {
        left = changed.awaitNanos(left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      lock.unlock();
    }
  }

  /** Ends thread and connection. */
  void close() {
    Connection open;
    lock.lock();
    try {
      closed = true;
      heard = false;
      open = connection;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    if (open != null) {
      Connections.cut(open);
    }
  }
}
