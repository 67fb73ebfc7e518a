package dev.interlock.testservers.internal.control;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.command.CreateContainerCmd;
import com.github.dockerjava.api.command.InspectContainerResponse.ContainerState;
import com.github.dockerjava.api.exception.DockerException;
import com.github.dockerjava.api.model.ExposedPort;
import com.github.dockerjava.api.model.HostConfig;
import com.github.dockerjava.api.model.PortBinding;
import com.github.dockerjava.api.model.Ports;
import dev.interlock.testservers.TestServerException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.AbstractWaitStrategy;

/**
 * A container with a server of any kind. Testcontainers makes and removes the container; starts,
 * stops and pauses go to the daemon, because Testcontainers itself would make a new container on
 * another port.
 */
public final class ServerContainer implements ServerControl {
  private static final Duration POLL = Duration.ofMillis(20);
  private static final String LOOPBACK = "127.0.0.1";

  private final GenericContainer<?> container;
  private final DockerClient docker;
  private final ReentrantLock lock = new ReentrantLock();
  private boolean closed;

  private ServerContainer(GenericContainer<?> container, int inside, int outside) {
    Ports.Binding published = isLocal()
        ? Ports.Binding.bindIpAndPort(LOOPBACK, outside)
        : Ports.Binding.bindPort(outside);
    this.container = container
        .withCreateContainerCmdModifier(command -> publish(command, inside, published))
        .waitingFor(new NoWait());
    this.docker = container.getDockerClient();
  }

  /** Where the ports of containers are. */
  public static String host() {
    return isLocal() ? LOOPBACK : DockerClientFactory.instance().dockerHostIpAddress();
  }

  private static boolean isLocal() {
    return DockerClientFactory.instance().dockerHostIpAddress().equals("localhost");
  }

  private static void publish(CreateContainerCmd command, int port, Ports.Binding published) {
    ExposedPort exposed = ExposedPort.tcp(port);
    HostConfig host = Objects.requireNonNullElseGet(command.getHostConfig(), HostConfig::new);
    command
        .withExposedPorts(exposed)
        .withHostConfig(host.withPortBindings(new PortBinding(published, exposed)));
  }

  /**
   * Makes a container and starts it for the first time; removes it if it does not start.
   *
   * @param inside the server's port in the container
   * @param outside its port at {@link #host()}: a fixed one, since a port that the daemon chooses
   *     changes with each start
   */
  public static ServerContainer create(GenericContainer<?> container, int inside, int outside) {
    ServerContainer created = new ServerContainer(container, inside, outside);
    try {
      container.start();
      return created;
    } catch (RuntimeException e) {
      created.close();
      throw e;
    }
  }

  @Override
  public boolean isOurs() {
    return true;
  }

  @Override
  public void start(Duration limit, BooleanSupplier ready) {
    change(() -> {
      if (isRunning()) {
        thaw();
      } else {
        docker.startContainerCmd(id()).exec();
      }
    });
    awaitReady(limit, ready);
  }

  private void awaitReady(Duration limit, BooleanSupplier ready) {
    long start = System.nanoTime();
    try {
      while (!Readiness.look(ready)) {
        if (!isRunning() || System.nanoTime() - start > limit.toNanos()) {
          throw new TestServerException(
              image() + " does not answer. Its log:\n" + container.getLogs().indent(2));
        }
        Thread.sleep(POLL.toMillis());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new TestServerException("Interrupted while " + image() + " was starting.", e);
    }
  }

  /** It is the daemon that kills it. */
  @Override
  public void stop(Duration grace) {
    change(() -> {
      thaw();
      if (isRunning()) {
        docker.stopContainerCmd(id()).withTimeout((int) grace.toSeconds()).exec();
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
    change(this::thaw);
  }

  private void thaw() {
    if (isPaused()) {
      docker.unpauseContainerCmd(id()).exec();
    }
  }

  @Override
  public void kill() {
    change(() -> {
      // A frozen container does not take the signal on every version of the daemon.
      thaw();
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

  private String image() {
    return container.getDockerImageName();
  }

  /** Readiness has to be found out after a restart as well, so it is this class's own matter. */
  private static final class NoWait extends AbstractWaitStrategy {
    @Override
    protected void waitUntilReady() {}
  }
}
