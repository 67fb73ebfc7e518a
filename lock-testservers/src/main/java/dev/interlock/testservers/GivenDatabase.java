package dev.interlock.testservers;

/** A database server that somebody else started. */
final class GivenDatabase extends DatabaseAtEndpoint implements MysqlServer, PostgresServer {
  GivenDatabase(DatabaseEndpoint endpoint) {
    super(endpoint, "given URI", new GivenServer(endpoint.host() + ":" + endpoint.port()));
    reportsItself(endpoint.execute("SELECT VERSION()"));
  }
}
