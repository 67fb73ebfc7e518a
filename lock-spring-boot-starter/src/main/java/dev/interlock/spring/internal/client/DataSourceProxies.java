package dev.interlock.spring.internal.client;

import dev.interlock.LockConfigurationException;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.IsolationLevelDataSourceAdapter;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.util.ClassUtils;

/**
 * Takes Spring's proxies off a {@code DataSource}. The statements of locks run on the thread of
 * their caller, who may be in a transaction: on its connection they would commit what the caller
 * has written, and undo the lock with it.
 */
final class DataSourceProxies {
  static final boolean PRESENT = ClassUtils.isPresent(
      "org.springframework.jdbc.datasource.DelegatingDataSource",
      DataSourceProxies.class.getClassLoader());

  private DataSourceProxies() {}

  /**
   * Refuses one that chooses among databases for each connection: a lock that is taken in one of
   * them is free in the others. Its default is not used in its place, since nothing says that it is
   * the same on all instances.
   *
   * @param bean where it comes from
   * @param prefix what the names of the client's properties begin with
   * @throws LockConfigurationException if it is one, or has one within it
   */
  static void refuseRouting(DataSource source, String bean, String prefix) {
    if (has(source, AbstractRoutingDataSource.class)) {
      throw new LockConfigurationException(
          "the bean '%s' routes each connection to one of several databases, and locks must all be in the same one: set %s.bean to the DataSource bean of that database, or %2$s.uri"
              .formatted(bean, prefix));
    }
  }

  /**
   * Finds what is under the proxies that bring the caller's transaction, or that put off taking a
   * connection. Proxies that change the connections in another way stay.
   *
   * @param bean where it comes from
   * @param prefix what the names of the client's properties begin with
   * @throws LockConfigurationException if a connection would follow the caller's transaction
   *     nevertheless
   */
  static DataSource takeOff(DataSource source, String bean, String prefix) {
    DataSource found = source;
    while (found instanceof DelegatingDataSource proxy && mustGo(proxy)) {
      DataSource target = proxy.getTargetDataSource();
      if (target == null) {
        break; // it says so itself when it is asked for a connection
      }
      found = target;
    }
    if (has(found, TransactionAwareDataSourceProxy.class)
        || has(found, IsolationLevelDataSourceAdapter.class)) {
      throw new LockConfigurationException(
          "the connections of the bean '%s' follow the transaction of the thread that asks, and those of locks must not: set %s.bean to a DataSource without TransactionAwareDataSourceProxy and IsolationLevelDataSourceAdapter, or set %2$s.uri"
              .formatted(bean, prefix));
    }
    return found;
  }

  /** A lazy one saves nothing: locks take a connection to use it at once. */
  private static boolean mustGo(DelegatingDataSource proxy) {
    return proxy instanceof TransactionAwareDataSourceProxy
        || proxy instanceof LazyConnectionDataSourceProxy
        || proxy.getClass() == DelegatingDataSource.class;
  }

  /** Whether it is one, or has one within it, also as the proxies of other libraries tell. */
  private static boolean has(DataSource source, Class<?> proxy) {
    try {
      return source.isWrapperFor(proxy);
    } catch (SQLException e) {
      return false; // a pool that does not know what it wraps
    }
  }
}
