package dev.interlock.testservers;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.utility.DockerImageName;

/** A server in a container of the official images of MySQL or MariaDB. */
final class DockerMysql extends MysqlAtEndpoint {
  private static final Duration START_LIMIT = Duration.ofSeconds(60);
  private static final Duration STOP_GRACE = Duration.ofSeconds(20);
  private static final int PORT = 3306;
  private static final String SECRET = "interlock";

  /** Both families of images read their own names only. */
  private static final Map<String, String> ENVIRONMENT = Map.of(
      "MYSQL_ROOT_PASSWORD",
      SECRET,
      "MYSQL_DATABASE",
      "interlock",
      "MARIADB_ROOT_PASSWORD",
      SECRET,
      "MARIADB_DATABASE",
      "interlock");

  private final ServerContainer container;

  private DockerMysql(MysqlEndpoint endpoint, String image, ServerContainer container) {
    super(endpoint, MysqlSource.DOCKER + " " + image);
    this.container = container;
  }

  static DockerMysql start(List<String> options, String image) throws SourceUnavailableException {
    DockerMysql server;
    try {
      int port = FreePorts.next();
      GenericContainer<?> container = new GenericContainer<>(DockerImageName.parse(image))
          .withEnv(ENVIRONMENT)
          .withCommand(options.toArray(String[]::new));
      server = new DockerMysql(
          new MysqlEndpoint(ServerContainer.host(), port, "root", SECRET, "interlock"),
          image,
          new ServerContainer(container, PORT, port));
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
