package dev.interlock.testservers;

import java.time.Duration;

/** What is done alike to servers of all kinds, wherever they run. */
abstract class ControlledServer implements AutoCloseable {
  private final ServerControl control;
  private final Duration startLimit;
  private final Duration stopGrace;

  ControlledServer(ServerControl control, Duration startLimit, Duration stopGrace) {
    this.control = control;
    this.startLimit = startLimit;
    this.stopGrace = stopGrace;
  }

  /** Starts a new server, and leaves nothing behind if it does not start. */
  static <S extends ControlledServer> S started(S server) {
    try {
      server.start();
      return server;
    } catch (RuntimeException e) {
      server.close();
      throw e;
    }
  }

  /** Whether this server answers, and not another one that has its port. Notes its version. */
  abstract boolean answers();

  public final boolean isControllable() {
    return control.isOurs();
  }

  public final void start() {
    control.start(startLimit, this::answers);
  }

  public final void stop() {
    control.stop(stopGrace);
  }

  public final void restart() {
    stop();
    start();
  }

  public final void pause() {
    control.pause();
  }

  public final void resume() {
    control.resume();
  }

  public final void kill() {
    control.kill();
  }

  @Override
  public final void close() {
    control.close();
  }
}
