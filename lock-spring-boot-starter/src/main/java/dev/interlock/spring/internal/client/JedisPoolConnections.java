package dev.interlock.spring.internal.client;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.commons.pool2.BasePooledObjectFactory;
import org.apache.commons.pool2.PooledObject;
import org.apache.commons.pool2.impl.DefaultPooledObject;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisPool;
import redis.clients.jedis.util.Pool;

/**
 * The connections within the objects of a {@link JedisPool}. Each is borrowed and given back
 * together with its object, so the limits, checks and settings are those of that pool; nothing is
 * kept here, and closing the JedisPool closes all. Thread-safe.
 */
final class JedisPoolConnections extends Pool<Connection> {
  private final JedisPool pool;
  private final Map<Connection, Jedis> lent = new ConcurrentHashMap<>();

  JedisPoolConnections(JedisPool pool) {
    super(new Unpooled(pool), withoutJmx());
    this.pool = pool;
    setMaxTotal(pool.getMaxTotal());
  }

  private static GenericObjectPoolConfig<Connection> withoutJmx() {
    GenericObjectPoolConfig<Connection> config = new GenericObjectPoolConfig<>();
    config.setJmxEnabled(false); // it would show a pool that is always empty
    return config;
  }

  @Override
  public Connection borrowObject(Duration wait) throws Exception {
    Jedis jedis = pool.borrowObject(wait);
    lent.put(jedis.getConnection(), jedis);
    return jedis.getConnection();
  }

  @Override
  public void returnResource(Connection connection) {
    pool.returnResource(owner(connection));
  }

  @Override
  public void returnBrokenResource(Connection connection) {
    pool.returnBrokenResource(owner(connection));
  }

  private Jedis owner(Connection connection) {
    return Objects.requireNonNull(lent.remove(connection), "it was not borrowed here");
  }

  @Override
  public int getNumWaiters() {
    return pool.getNumWaiters();
  }

  /** Makes connections beside the pool, as it makes its own. */
  private static final class Unpooled extends BasePooledObjectFactory<Connection> {
    private final JedisPool pool;

    Unpooled(JedisPool pool) {
      this.pool = pool;
    }

    @Override
    public Connection create() throws Exception {
      return pool.getFactory().makeObject().getObject().getConnection();
    }

    @Override
    public PooledObject<Connection> wrap(Connection connection) {
      return new DefaultPooledObject<>(connection);
    }
  }
}
