package dev.interlock.redis.support.jedis;

import dev.interlock.BackendUnavailableException;
import dev.interlock.spi.Uninterruptibly;
import java.time.Duration;
import java.util.NoSuchElementException;
import org.apache.commons.pool2.PooledObjectFactory;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.util.Pool;

/** Connections out of a pool that the application owns and may use for other things as well. */
final class ApplicationConnections implements Connections {
  private static final int PLENTY = 1024;

  private final Pool<Connection> pool;
  private final Duration timeout;
  private final ConnectionPermits turnstile;
  private final Listener listener = new Listener();
  private final OpenConnections open = new OpenConnections();
  private final OpenConnections.Source source = new OpenConnections.Source() {
    @Override
    public @Nullable Connection idle() {
      try {
        return pool.getNumIdle() > 0 ? further() : null;
      } catch (BackendUnavailableException e) {
        return null; // another one has taken it, and the pool tried to open a further one
      }
    }

    @Override
    public Connection further() {
      return borrow();
    }

    @Override
    public boolean isAnyOpen() {
      return !pool.isClosed() && pool.getNumActive() + pool.getNumIdle() > 0;
    }

    @Override
    public void keep(Connection connection) {
      try {
        pool.returnResource(connection);
      } catch (JedisException e) {
        // The pool could not take it back and has closed it, or the pool itself is closed.
      }
    }
  };

  ApplicationConnections(Pool<Connection> pool, Duration timeout) {
    int most = pool.getMaxTotal();
    this.pool = pool;
    this.timeout = timeout;
    this.turnstile = new ConnectionPermits(most < 0 ? PLENTY : most, timeout);
  }

  @Override
  public Connection borrow(Use use) {
    long deadline = System.nanoTime() + timeout.toNanos();
    turnstile.enter(use);
    Connection borrowed = null;
    try {
      borrowed = open.furtherOrNext(use, source, deadline);
      return borrowed;
    } finally {
      if (borrowed == null) { // also after an error, such as no memory for a connection
        turnstile.leave(use);
      }
    }
  }

  @Override
  public void giveBack(Use use, Connection connection, boolean healthy) {
    try {
      if (healthy && !connection.isBroken()) {
        handOverOrKeep(connection);
        if (use == Use.ATTEMPT) { // others may only have read, as a replica lets them
          listener.served(System.nanoTime()); // the pool does not tell since when it is open
        }
      } else {
        pool.returnBrokenResource(connection);
      }
    } catch (JedisException e) {
      // The pool could not take it back and has closed it, or the pool itself is closed.
    } finally {
      turnstile.leave(use);
    }
  }

  private void handOverOrKeep(Connection connection) {
    boolean taken = false;
    try {
      if (!open.isAwaited() || !open.handOver(connection)) {
        source.keep(connection);
      }
      taken = true;
    } finally {
      if (!taken) { // after an error, such as no memory
        pool.returnBrokenResource(connection);
      }
    }
  }

  @Override
  public void misled() {
    listener.doubt();
  }

  @Override
  public boolean mayKeep(Connection connection) {
    return !pool.isClosed()
        && pool.getNumWaiters() == 0
        && !open.isAwaited()
        && !turnstile.isAwaited();
  }

  @Override
  public Connection openListener() {
    PooledObjectFactory<Connection> factory = pool.getFactory();
    try {
      long since = System.nanoTime();
      Connection opened = factory.makeObject().getObject();
      listener.opened(opened, since);
      return opened;
    } catch (Exception e) { // that is what makeObject declares
      throw Faults.connecting(address(), e);
    }
  }

  @Override
  public String address() {
    return "the application's pool";
  }

  @Override
  public void close() {
    // The pool belongs to the application.
  }

  private Connection borrow() {
    long deadline = System.nanoTime() + timeout.toNanos();
    try {
      return Uninterruptibly.await(
          () -> pool.borrowObject(Duration.ofNanos(Math.max(0, deadline - System.nanoTime()))));
    } catch (NoSuchElementException e) {
      throw new BackendUnavailableException(
          "No Redis connection became free within " + timeout.toMillis()
              + " ms: pool exhausted (size " + pool.getMaxTotal() + ")",
          e);
    } catch (Exception e) { // that is what borrowObject declares
      throw Faults.connecting(address(), e);
    }
  }
}
