package dev.interlock.testservers;

/** A server that runs already and is not ours. */
final class GivenDatabase extends DatabaseAtEndpoint implements MysqlServer, PostgresServer {
  GivenDatabase(DatabaseEndpoint endpoint) {
    super(endpoint, "given URI");
    reportsItself(endpoint.execute("SELECT VERSION()"));
  }

  @Override
  public boolean isControllable() {
    return false;
  }

  @Override
  public void start() {
    throw notOurs();
  }

  @Override
  public void stop() {
    throw notOurs();
  }

  @Override
  public void pause() {
    throw notOurs();
  }

  @Override
  public void resume() {
    throw notOurs();
  }

  @Override
  public void kill() {
    throw notOurs();
  }

  @Override
  public void close() {}

  private UnsupportedOperationException notOurs() {
    return new UnsupportedOperationException(
        this + " was given by a URI: it is not ours to stop, pause or kill.");
  }
}
