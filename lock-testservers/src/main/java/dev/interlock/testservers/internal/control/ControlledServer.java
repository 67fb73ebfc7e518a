package dev.interlock.testservers.internal.control;

import dev.interlock.testservers.TestServer;
import java.time.Duration;

/** What is done alike to servers of all kinds, wherever they run. */
public abstract class ControlledServer implements TestServer {
  private final ServerControl control;
  private final Duration startLimit;
  private final Duration stopGrace;

  protected ControlledServer(ServerControl control, Duration startLimit, Duration stopGrace) {
    this.control = control;
    this.startLimit = startLimit;
    this.stopGrace = stopGrace;
  }

  /** Starts a new server, and leaves nothing behind if it does not start. */
  public static <S extends ControlledServer> S started(S server) {
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
