package dev.interlock.testservers;

/** A server that somebody else started: used, never changed. */
final class GivenRedis extends RedisAtEndpoint {
  GivenRedis(RedisEndpoint endpoint) {
    super(endpoint, RedisSource.GIVEN.toString());
    // A given server that does not answer is an error: going on with another one would hide it.
    endpoint.command("PING");
    reportsItself(endpoint.serverInfo());
  }

  @Override
  public boolean isControllable() {
    return false;
  }

  @Override
  public void start() {
    throw refused("started");
  }

  @Override
  public void stop() {
    throw refused("stopped");
  }

  @Override
  public void restart() {
    throw refused("restarted");
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
    return new UnsupportedOperationException("The Redis at "
        + endpoint()
        + " was given by its URI and cannot be "
        + done
        + " by a test; ask for one that can with TestRedis.builder().owned().");
  }
}
