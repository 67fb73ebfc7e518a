package dev.interlock.mysql.internal.grants;

import dev.interlock.mysql.internal.connection.MysqlFaults;
import dev.interlock.mysql.internal.connection.ServerFacts;
import dev.interlock.mysql.internal.queue.Entry;
import dev.interlock.mysql.internal.statements.LockKey;
import dev.interlock.mysql.internal.statements.LockMapper;
import dev.interlock.mysql.internal.statements.LockMapper.KnownEntry;
import dev.interlock.mysql.internal.statements.LockSession;
import dev.interlock.spi.BackendEvents;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.sql.support.Database;
import dev.interlock.sql.support.Listener;
import dev.interlock.sql.support.Micros;
import dev.interlock.sql.support.SqlCauses;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
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
public final class GrantListener {
  private final Database<LockSession> database;
  private final long client;
  private final String prefix;
  private final Entries entries;
  private final double waitSeconds;
  private final long lingerNanos;

  private final Listener listener;
  private volatile @Nullable BackendEvents events;
  private volatile Granted granted = (grant, place, notBefore) -> {};
  private volatile long lastNeeded;

  /**
   * Creates a listener that is not up yet.
   *
   * @param client the upper half of the client's hold ids
   * @param prefix what the keys of this client's locks begin with
   * @param entries the client's waiters
   * @param waitSeconds how long one statement waits
   * @param linger how long it stays up after the last waiter
   */
  public GrantListener(
      Database<LockSession> database,
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
    this.listener = new Listener(
        database.connections(),
        "interlock-grants-" + Long.toHexString(client),
        this::isNeeded,
        this::listen);
  }

  /** Hears of grants. */
  public interface Granted {
    /**
     * A waiter has the lock.
     *
     * @param place where the hold stands if it may share the lock; else null
     */
    void granted(Grant grant, @Nullable KnownEntry place, long notBeforeNanos);
  }

  public void tell(BackendEvents listener, Granted grants) {
    events = listener;
    granted = grants;
  }

  /** Whether another client can tell this one of a grant now. */
  public boolean isListening() {
    return listener.isUp();
  }

  /** Sees to it that it listens before a waiter relies on it. */
  public void ensureListening() {
    lastNeeded = System.nanoTime();
    listener.ensure();
  }

  private boolean isNeeded() {
    return entries.hasWaiters() || System.nanoTime() - lastNeeded < lingerNanos;
  }

  private void listen(Listener caller, Connection taken, boolean again) throws SQLException {
    // Sessions may begin so that they see what is not committed, and a grant may be rolled back.
    taken.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
    Long session;
    try {
      session = database.on(taken, LockMapper.class).becomeListener(client);
    } catch (PersistenceException e) {
      SQLException error = SqlCauses.first(e);
      if (error == null || !MysqlFaults.hasNoUserLocks(error)) {
        throw e;
      }
      caller.up(false);
      caller.goWithout();
      return;
    }
    boolean direct = ServerFacts.isDirect(taken, session);
    caller.up(direct);
    if (session == null) {
      return; // the server has not ended the session before yet: it is tried again
    }
    if (again) {
      tellInDoubt();
    }
    if (direct) {
      listenOn(caller, taken);
    } else {
      caller.goWithout();
    }
  }

  private void listenOn(Listener caller, Connection taken) throws SQLException {
    boolean keeper = waitSeconds < 1; // or else one that cannot wait for so short a time
    try (GrantLook look =
        new GrantLook(taken, database.configuration(), client, waitSeconds, keeper)) {
      Set<Seen> seen = new HashSet<>();
      while (caller.listensOn()) {
        seen = look(look, seen);
      }
    }
  }

  /** A waiter may be granted the same lock a second time, and two locks may have one token. */
  private record Seen(long hold, long token) {}

  /** Answers what it found. */
  private Set<Seen> look(GrantLook look, Set<Seen> before) throws SQLException {
    Set<Seen> now = new HashSet<>();
    // Before the question: the server's remaining time counts from a later moment than this.
    long asked = System.nanoTime();
    boolean whole = look.run(entries.wantedParts(), grant -> {
      Seen found = new Seen(grant.hold, grant.token);
      now.add(found);
      if (!before.contains(found)) {
        deliver(grant, asked);
      }
    });
    return whole || !now.isEmpty()
        ? now
        : before; // or a wake-up cut it off before it said anything
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

  private void tellInDoubt() {
    BackendEvents listener = events;
    if (listener != null) {
      listener.inDoubt();
    }
  }

  /** Ends thread and connection. */
  public void close() {
    listener.close();
  }
}
