package dev.interlock.testservers;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.utility.DockerImageName;

/** A server in a container of the official images of MySQL, MariaDB or PostgreSQL. */
final class DockerDatabase extends DatabaseAtEndpoint implements MysqlServer, PostgresServer {
  private static final Duration START_LIMIT = Duration.ofSeconds(60);
  private static final Duration STOP_GRACE = Duration.ofSeconds(20);
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

  private final ServerContainer container;

  private DockerDatabase(DatabaseEndpoint endpoint, String image, ServerContainer container) {
    super(endpoint, "Docker " + image);
    this.container = container;
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
          new ServerContainer(container, kind.defaultPort(), port));
      server.container.create();
    } catch (RuntimeException e) {
      // No image to be had, for instance. The next source may well do.
      throw new SourceUnavailableException("no container of " + image + " starts: " + e, e);
    }
    try {
      server.awaitReady();
      return server;
    } catch (RuntimeException e) {
      server.close();
      throw e;
    }
  }

  @Override
  public boolean isControllable() {
    return true;
  }

  @Override
  public void start() {
    container.start();
    awaitReady();
  }

  private void awaitReady() {
    container.awaitReady(START_LIMIT, this::answers);
  }

  private boolean answers() {
    Optional<String> version = endpoint().ask("SELECT VERSION()");
    version.ifPresent(this::reportsItself);
    return version.isPresent();
  }

  @Override
  public void stop() {
    container.resume();
    container.stop(STOP_GRACE);
  }

  @Override
  public void pause() {
    container.pause();
  }

  @Override
  public void resume() {
    container.resume();
  }

  @Override
  public void kill() {
    // A frozen container does not take the signal on every version of the daemon.
    container.resume();
    container.kill();
  }

  @Override
  public void close() {
    container.close();
  }
}
