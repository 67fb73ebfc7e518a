package dev.interlock.testservers;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.command.CreateContainerCmd;
import com.github.dockerjava.api.command.InspectContainerResponse.ContainerState;
import com.github.dockerjava.api.exception.DockerException;
import com.github.dockerjava.api.model.ExposedPort;
import com.github.dockerjava.api.model.HostConfig;
import com.github.dockerjava.api.model.PortBinding;
import com.github.dockerjava.api.model.Ports;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.AbstractWaitStrategy;
import org.testcontainers.images.builder.Transferable;
import org.testcontainers.utility.DockerImageName;

/**
 * A server in a container. Testcontainers makes and removes the container; starts, stops and pauses
 * go to the daemon, because Testcontainers itself would make a new container on another port.
 */
final class DockerRedis extends RedisAtEndpoint {
  private static final Duration START_LIMIT = Duration.ofSeconds(30);
  private static final Duration POLL = Duration.ofMillis(20);
  private static final int STOP_GRACE_SECONDS = 10;
  private static final String LOOPBACK = "127.0.0.1";
  private static final int PORT = 6379;
  private static final String FILES = "/interlock/";

  private final GenericContainer<?> container;
  private final DockerClient docker;
  private final ReentrantLock lock = new ReentrantLock();
  private boolean closed;

  private DockerRedis(RedisEndpoint endpoint, String image, GenericContainer<?> container) {
    super(endpoint, RedisSource.DOCKER + " " + image);
    this.container = container;
    this.docker = container.getDockerClient();
  }

  static DockerRedis start(RedisSettings settings, String image) throws SourceUnavailableException {
    DockerRedis server;
    try {
      server = prepare(settings, image);
      server.orClose(server.container::start);
    } catch (RuntimeException e) {
      throw new SourceUnavailableException("no container of " + image + " starts: " + e, e);
    }
    server.orClose(server::awaitReady);
    return server;
  }

  private static DockerRedis prepare(RedisSettings settings, String image) {
    String daemon = DockerClientFactory.instance().dockerHostIpAddress();
    int port = settings.port() == 0 ? FreePorts.next() : settings.port();
    boolean local = daemon.equals("localhost");
    String host = local ? LOOPBACK : daemon;
    Ports.Binding published =
        local ? Ports.Binding.bindIpAndPort(LOOPBACK, port) : Ports.Binding.bindPort(port);
    return new DockerRedis(
        settings.endpoint(host, port), image, container(settings, image, published));
  }

  private void orClose(Runnable step) {
    try {
      step.run();
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  private static GenericContainer<?> container(
      RedisSettings settings, String image, Ports.Binding published) {
    String configuration =
        settings.configuration("0.0.0.0", PORT, "/tmp", file -> FILES + file.getFileName());
    GenericContainer<?> container = new GenericContainer<>(DockerImageName.parse(image))
        .withCommand("redis-server", FILES + "redis.conf")
        .withCopyToContainer(Transferable.of(configuration), FILES + "redis.conf")
        .withCreateContainerCmdModifier(command -> publish(command, published))
        .waitingFor(new NoWait());
    TlsFiles tls = settings.tls();
    if (tls != null) {
      for (Path file : List.of(tls.certificate(), tls.privateKey(), tls.authority())) {
        container.withCopyToContainer(Transferable.of(bytes(file)), FILES + file.getFileName());
      }
    }
    return container;
  }

  /** A fixed port, since a port that the daemon chooses changes with each start. */
  private static void publish(CreateContainerCmd command, Ports.Binding published) {
    ExposedPort exposed = ExposedPort.tcp(PORT);
    HostConfig host = Objects.requireNonNullElseGet(command.getHostConfig(), HostConfig::new);
    command
        .withExposedPorts(exposed)
        .withHostConfig(host.withPortBindings(new PortBinding(published, exposed)));
  }

  private static byte[] bytes(Path file) {
    try {
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw new TestServerException(file + " cannot be read.", e);
    }
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
      unpause();
    });
    awaitReady();
  }

  @Override
  public void stop() {
    change(() -> {
      if (isRunning()) {
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
      if (!isPaused()) {
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
    Map<String, String> info = endpoint().serverInfo();
    while (info.isEmpty()) {
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
      info = endpoint().serverInfo();
    }
    reportsItself(info);
  }

  private void unpause() {
    if (isPaused()) {
      docker.unpauseContainerCmd(id()).exec();
    }
  }

  private boolean isRunning() {
    return Boolean.TRUE.equals(state().getRunning());
  }

  private boolean isPaused() {
    return Boolean.TRUE.equals(state().getPaused());
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
