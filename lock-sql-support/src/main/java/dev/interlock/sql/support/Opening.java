package dev.interlock.sql.support;

import dev.interlock.LockConfig;
import dev.interlock.LockConfigurationException;
import dev.interlock.LockException;
import dev.interlock.Option;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What is the same whenever a client is opened. */
public final class Opening {
  private Opening() {}

  /**
   * Sees to it that a URI names what there is no default for.
   *
   * @param config the options of the URI
   * @param provider its scheme
   * @param needed options without a default
   * @throws LockConfigurationException naming all that is missing
   */
  public static void require(LockConfig config, String provider, Option<?>... needed) {
    String missing = Stream.of(needed)
        .filter(option -> config.find(option).isEmpty())
        .map(Option::name)
        .collect(Collectors.joining(", "));
    if (!missing.isEmpty()) {
      throw new LockConfigurationException("Cannot open '" + provider + "': " + missing
          + " missing, expected " + provider + "://user:password@host/database");
    }
  }

  /** A look at a connection. */
  public interface Look<T> {
    /**
     * Looks at it.
     *
     * @param connection given back afterwards
     * @return what was found
     * @throws SQLException what the server says
     */
    T at(Connection connection) throws SQLException;
  }

  /**
   * Opens a connection, looks at it, and closes it.
   *
   * @param <T> what is found
   * @param what what is done, for messages
   * @param faults what errors mean
   * @param opener opens it
   * @param look what to look at
   * @return what was found
   * @throws LockException if the server cannot be reached, or refuses
   */
  public static <T> T first(String what, Faults faults, Opener opener, Look<T> look) {
    try (Connection connection = taken(what, faults, opener::open)) {
      return look.at(connection);
    } catch (SQLException e) {
      throw faults.translate(what, e, false);
    }
  }

  /**
   * Takes a connection of an application's pool, looks at it, and gives it back. Refuses one that
   * is read-only.
   *
   * @param <T> what is found
   * @param what what is done, for messages
   * @param faults what errors mean
   * @param connections where it comes from
   * @param look what to look at
   * @return what was found
   * @throws LockConfigurationException if the connection is read-only
   * @throws LockException if the server cannot be reached, or refuses
   */
  public static <T> T first(String what, Faults faults, Connections connections, Look<T> look) {
    Connection connection = taken(what, faults, () -> connections.take(true));
    try {
      // Of some drivers nothing is written with these, of others only what runs in a transaction.
      if (connection.isReadOnly()) {
        throw new LockConfigurationException(
            what + ": the pool's connections are read-only. Give it a pool of which they are not");
      }
      return look.at(connection);
    } catch (SQLException e) {
      throw faults.translate(what, e, false);
    } finally {
      connections.giveBack(connection, true, true);
    }
  }

  private static Connection taken(String what, Faults faults, Callable<Connection> source) {
    try {
      return source.call();
    } catch (Exception e) {
      throw faults.noConnection(what, e);
    }
  }

  /**
   * Reads the statements of a file.
   *
   * @param beside a class of the same package
   * @param file its name
   * @param prefix what stands in it for <code>${prefix}</code>
   * @return the statements
   */
  public static String script(Class<?> beside, String file, String prefix) {
    try (InputStream in = beside.getResourceAsStream(file)) {
      return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8)
          .replace("${prefix}", prefix);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Warns if the server may lose what it has committed once it, or its machine, has crashed.
   *
   * @param log the provider's
   * @param server product and version
   * @param risks the settings that are to blame; none if it may not
   */
  public static void warnIfNotDurable(Logger log, String server, List<String> risks) {
    if (!risks.isEmpty()) {
      log.log(
          Level.WARNING,
          "{0} may lose locks in a crash, and then grants them while their holders work on: {1}."
              + " The capability DURABLE does not hold there.",
          server,
          String.join(", ", risks));
    }
  }
}
