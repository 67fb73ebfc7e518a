package dev.interlock.spring.internal.client;

import dev.interlock.BackendUnavailableException;
import dev.interlock.LockClient;
import dev.interlock.LockConfig;
import dev.interlock.mysql.MysqlLocks;
import dev.interlock.postgres.PostgresLocks;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import javax.sql.DataSource;

/** The databases of an application that locks can live in. */
public final class DatabaseConnections {
  public static final String MYSQL = "mysql";
  public static final String POSTGRES = "postgres";

  private DatabaseConnections() {}

  /**
   * Finds the {@code DataSource} beans that a provider can use. They are asked for their product,
   * unless the application names the provider itself, so this blocks.
   *
   * @param named whether the application says that it is this provider
   * @throws BackendUnavailableException if a database cannot be asked: with the others alone, this
   *     instance might take its locks elsewhere than the rest
   */
  static List<OwnConnection> find(String provider, boolean named, OwnBeans beans) {
    return beans.names(DataSource.class).stream()
        .filter(bean -> named || provider.equals(providerOf(bean, beans)))
        .map(bean -> OwnConnection.of(provider, bean, config -> open(pool(bean, beans), config)))
        .toList();
  }

  /** Before anybody asks it for a connection, which may be to any database or to none. */
  private static DataSource source(String bean, OwnBeans beans) {
    DataSource source = beans.get(bean, DataSource.class);
    if (DataSourceProxies.PRESENT) {
      DataSourceProxies.refuseRouting(source, bean, beans.prefix());
    }
    return source;
  }

  private static DataSource pool(String bean, OwnBeans beans) {
    DataSource source = source(bean, beans);
    return DataSourceProxies.PRESENT
        ? DataSourceProxies.takeOff(source, bean, beans.prefix())
        : source;
  }

  private static LockClient open(DataSource pool, LockConfig config) {
    return config.provider().equals(MYSQL)
        ? OnMysql.open(pool, config)
        : OnPostgres.open(pool, config);
  }

  private static String providerOf(String bean, OwnBeans beans) {
    DataSource pool = source(bean, beans);
    String product;
    try (Connection connection = pool.getConnection()) {
      product = connection.getMetaData().getDatabaseProductName();
    } catch (SQLException | RuntimeException e) {
      throw new BackendUnavailableException(
          "%s.uri is not set, and the database of the bean '%s' does not tell what it is"
              .formatted(beans.prefix(), bean),
          e);
    }
    return switch (product.toLowerCase(Locale.ROOT)) {
      case "mysql", "mariadb" -> MYSQL;
      case "postgresql" -> POSTGRES;
      default -> "";
    };
  }

  // The libraries that each of these needs are optional.

  private static final class OnMysql {
    static LockClient open(DataSource pool, LockConfig config) {
      return MysqlLocks.using(pool, config);
    }
  }

  private static final class OnPostgres {
    static LockClient open(DataSource pool, LockConfig config) {
      return PostgresLocks.using(pool, config);
    }
  }
}
