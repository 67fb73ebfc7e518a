package dev.interlock.testservers.internal.database;

import dev.interlock.testservers.MysqlServer;
import dev.interlock.testservers.PostgresServer;
import dev.interlock.testservers.internal.control.FreePorts;
import dev.interlock.testservers.internal.control.ServerContainer;
import dev.interlock.testservers.internal.source.SourceUnavailableException;
import java.util.List;
import java.util.Map;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.utility.DockerImageName;

/** A server in a container of the official images of MySQL, MariaDB or PostgreSQL. */
final class DockerDatabase extends DatabaseAtEndpoint implements MysqlServer, PostgresServer {
  private static final String NAME = "interlock";

  /** Each family of images reads its own names only. */
  private static final Map<String, String> ENVIRONMENT = Map.of(
      "MYSQL_ROOT_PASSWORD",
      NAME,
      "MYSQL_DATABASE",
      NAME,
      "MARIADB_ROOT_PASSWORD",
      NAME,
      "MARIADB_DATABASE",
      NAME,
      "POSTGRES_USER",
      NAME,
      "POSTGRES_PASSWORD",
      NAME,
      "POSTGRES_DB",
      NAME);

  private DockerDatabase(DatabaseEndpoint endpoint, String image, ServerContainer container) {
    super(endpoint, "Docker " + image, container);
  }

  static DockerDatabase mysql(List<String> options, String image)
      throws SourceUnavailableException {
    return start(DatabaseKind.MYSQL, "root", options, image);
  }

  static DockerDatabase postgres(List<String> options, String image)
      throws SourceUnavailableException {
    return start(DatabaseKind.POSTGRES, NAME, options, image);
  }

  private static DockerDatabase start(
      DatabaseKind kind, String user, List<String> options, String image)
      throws SourceUnavailableException {
    DockerDatabase server;
    try {
      int port = FreePorts.next();
      GenericContainer<?> container = new GenericContainer<>(DockerImageName.parse(image))
          .withEnv(ENVIRONMENT)
          .withCommand(options.toArray(String[]::new));
      server = new DockerDatabase(
          new DatabaseEndpoint(kind, ServerContainer.host(), port, user, NAME, NAME),
          image,
          ServerContainer.create(container, kind.defaultPort(), port));
    } catch (RuntimeException e) {
      // No image to be had, for instance. The next source may well do.
      throw new SourceUnavailableException("no container of " + image + " starts: " + e, e);
    }
    return started(server);
  }
}
