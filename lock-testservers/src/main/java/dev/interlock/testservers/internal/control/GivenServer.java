package dev.interlock.testservers.internal.control;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/**
 * A server that somebody else started: used, never changed.
 *
 * @param address for messages, without credentials
 */
public record GivenServer(String address) implements ServerControl {
  @Override
  public boolean isOurs() {
    return false;
  }

  @Override
  public void start(Duration limit, BooleanSupplier ready) {
    throw refused("started");
  }

  @Override
  public void stop(Duration grace) {
    throw refused("stopped");
  }

  @Override
  public void pause() {
    throw refused("paused");
  }

  @Override
  public void resume() {
    throw refused("resumed");
  }

  @Override
  public void kill() {
    throw refused("killed");
  }

  @Override
  public void close() {
    // It is not ours to end.
  }

  private UnsupportedOperationException refused(String done) {
    return new UnsupportedOperationException("The server at " + address
        + " was given by its URI and cannot be " + done
        + " by a test; ask the builder for one that can with owned().");
  }
}
