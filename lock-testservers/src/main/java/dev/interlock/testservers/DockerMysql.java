package dev.interlock.testservers;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.command.CreateContainerCmd;
import com.github.dockerjava.api.command.InspectContainerResponse.ContainerState;
import com.github.dockerjava.api.exception.DockerException;
import com.github.dockerjava.api.model.ExposedPort;
import com.github.dockerjava.api.model.HostConfig;
import com.github.dockerjava.api.model.PortBinding;
import com.github.dockerjava.api.model.Ports;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.AbstractWaitStrategy;
import org.testcontainers.utility.DockerImageName;

/**
 * A server in a container of the official images of MySQL or MariaDB. Testcontainers makes and
 * removes the container; starts, stops and pauses go to the daemon, because Testcontainers itself
 * would make a new container on another port.
 */
final class DockerMysql extends MysqlAtEndpoint {
  private static final Duration START_LIMIT = Duration.ofSeconds(60);
  private static final Duration POLL = Duration.ofMillis(50);
  private static final int STOP_GRACE_SECONDS = 20;
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

  private final GenericContainer<?> container;
  private final DockerClient docker;
  private final ReentrantLock lock = new ReentrantLock();
  private boolean closed;

  private DockerMysql(MysqlEndpoint endpoint, String image, GenericContainer<?> container) {
    super(endpoint, MysqlSource.DOCKER + " " + image);
    this.container = container;
    this.docker = container.getDockerClient();
  }

  static DockerMysql start(List<String> options, String image) throws SourceUnavailableException {
    GenericContainer<?> container;
    MysqlEndpoint endpoint;
    try {
      String daemon = DockerClientFactory.instance().dockerHostIpAddress();
      boolean local = daemon.equals("localhost");
      int port = FreePorts.next();
      endpoint = new MysqlEndpoint(local ? "127.0.0.1" : daemon, port, "root", SECRET, "interlock");
      Ports.Binding published = Ports.Binding.bindIpAndPort(local ? "127.0.0.1" : "0.0.0.0", port);
      container = new GenericContainer<>(DockerImageName.parse(image))
          .withEnv(ENVIRONMENT)
          .withCommand(options.toArray(String[]::new))
          .withCreateContainerCmdModifier(command -> publish(command, published))
          .waitingFor(new NoWait());
      container.start();
    } catch (RuntimeException e) {
      // No image to be had, for instance. The next source may well do.
      throw new SourceUnavailableException("no container of " + image + " starts: " + e, e);
    }
    DockerMysql server = new DockerMysql(endpoint, image, container);
    try {
      server.awaitReady();
      return server;
    } catch (TestServerException e) {
      server.close();
      throw e;
    }
  }

  /** A fixed port, since a port that the daemon chooses changes with each start. */
  private static void publish(CreateContainerCmd command, Ports.Binding published) {
    ExposedPort exposed = ExposedPort.tcp(PORT);
    HostConfig host = Objects.requireNonNullElseGet(command.getHostConfig(), HostConfig::new);
    command
        .withExposedPorts(exposed)
        .withHostConfig(host.withPortBindings(new PortBinding(published, exposed)));
  }

  @Override
  public boolean isControllable() {
    return true;
  }

  @Override
  public void start() {
    change(() -> {
      if (!isRunning()) {
        docker.startContainerCmd(id()).exec();
      }
    });
    awaitReady();
  }

  @Override
  public void stop() {
    change(() -> {
      if (isRunning()) {
        unpause();
        docker.stopContainerCmd(id()).withTimeout(STOP_GRACE_SECONDS).exec();
      }
    });
  }

  @Override
  public void pause() {
    change(() -> {
      if (!isRunning()) {
        throw new IllegalStateException("The server is not running.");
      }
      if (!Boolean.TRUE.equals(state().getPaused())) {
        docker.pauseContainerCmd(id()).exec();
      }
    });
  }

  @Override
  public void resume() {
    change(this::unpause);
  }

  @Override
  public void kill() {
    change(() -> {
      if (isRunning()) {
        // A frozen container does not take the signal on every version of the daemon.
        unpause();
        docker.killContainerCmd(id()).exec();
      }
    });
  }

  @Override
  public void close() {
    lock.lock();
    try {
      if (!closed) {
        closed = true;
        container.stop();
      }
    } finally {
      lock.unlock();
    }
  }

  private void change(Runnable change) {
    lock.lock();
    try {
      if (closed) {
        throw new IllegalStateException("The server is closed.");
      }
      change.run();
    } catch (DockerException e) {
      throw new TestServerException("Docker refused: " + e.getMessage(), e);
    } finally {
      lock.unlock();
    }
  }

  private void awaitReady() {
    long start = System.nanoTime();
    Optional<String> version = endpoint().ask("SELECT VERSION()");
    while (version.isEmpty()) {
      if (!isRunning() || System.nanoTime() - start > START_LIMIT.toNanos()) {
        throw new TestServerException(
            this + " does not answer. Its log:\n" + container.getLogs().indent(2));
      }
      try {
        Thread.sleep(POLL.toMillis());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new TestServerException("Interrupted while " + this + " was starting.", e);
      }
      version = endpoint().ask("SELECT VERSION()");
    }
    reportsItself(version.get());
  }

  private void unpause() {
    if (Boolean.TRUE.equals(state().getPaused())) {
      docker.unpauseContainerCmd(id()).exec();
    }
  }

  private boolean isRunning() {
    return Boolean.TRUE.equals(state().getRunning());
  }

  private ContainerState state() {
    return docker.inspectContainerCmd(id()).exec().getState();
  }

  private String id() {
    return container.getContainerId();
  }

  /** Readiness is this class's own matter: it has to be found out after a restart as well. */
  private static final class NoWait extends AbstractWaitStrategy {
    @Override
    protected void waitUntilReady() {}
  }
}
