package dev.interlock.testservers.internal.control;

import dev.interlock.testservers.TestServer;
import java.time.Duration;

/**
 * What servers of all kinds have in common, wherever they run.
 *
 * @param <E> what is known of its address
 */
public abstract class ControlledServer<E extends ServerEndpoint> implements TestServer {
  private final E endpoint;
  private final String origin;
  private final ServerControl control;
  private final Duration startLimit;
  private final Duration stopGrace;
  private volatile String version = "(not started)";

  /**
   * Creates.
   *
   * @param origin what {@link #source()} says, without the version
   */
  protected ControlledServer(
      E endpoint, String origin, ServerControl control, Duration startLimit, Duration stopGrace) {
    this.endpoint = endpoint;
    this.origin = origin;
    this.control = control;
    this.startLimit = startLimit;
    this.stopGrace = stopGrace;
  }

  /** Starts a new server, and leaves nothing behind if it does not start. */
  public static <S extends ControlledServer<?>> S started(S server) {
    try {
      server.start();
      return server;
    } catch (RuntimeException e) {
      server.close();
      throw e;
    }
  }

  /** Whether this server answers, and not another one that has its port. Notes its version. */
  protected abstract boolean answers();

  /** It may change with a restart. */
  protected final void noteVersion(String reported) {
    version = reported;
  }

  public final E endpoint() {
    return endpoint;
  }

  @Override
  public final String host() {
    return endpoint.host();
  }

  @Override
  public final int port() {
    return endpoint.port();
  }

  @Override
  public final String uri() {
    return endpoint.uri();
  }

  @Override
  public final String version() {
    return version;
  }

  @Override
  public final String source() {
    return origin + " " + version;
  }

  /** Source and address, without credentials. */
  @Override
  public final String toString() {
    return source() + " at " + host() + ":" + port();
  }

  @Override
  public final boolean isControllable() {
    return control.isOurs();
  }

  @Override
  public final void start() {
    control.start(startLimit, this::answers);
  }

  @Override
  public final void stop() {
    control.stop(stopGrace);
  }

  @Override
  public final void restart() {
    stop();
    start();
  }

  @Override
  public final void pause() {
    control.pause();
  }

  @Override
  public final void resume() {
    control.resume();
  }

  @Override
  public final void kill() {
    control.kill();
  }

  @Override
  public final void close() {
    control.close();
  }
}
