package dev.interlock.compare.servers;

import dev.interlock.measure.peers.PeerTables;
import dev.interlock.measure.server.ServerAddress;
import dev.interlock.measure.server.ServerKind;
import dev.interlock.testservers.PostgresFaults;
import dev.interlock.testservers.PostgresServer;
import dev.interlock.testservers.PostgresSource;
import dev.interlock.testservers.TestPostgres;
import dev.interlock.testservers.TestServerException;
import java.util.Map;
import java.util.Optional;

/** PostgreSQL servers. */
public final class PostgresBackends {
  private static final String GIVEN_PROPERTY = "interlock.test.postgres";
  private static final String PREFIX_OPTION = "tablePrefix";
  private static final String PREFIX = "interlock_";

  private PostgresBackends() {}

  static Backend start(String provider) {
    PostgresServer server = TestPostgres.start();
    String uri = server.uri().replaceFirst("^[^:]*:", provider + ":");
    return on(
        server,
        server.uri(),
        inNamespace(LockUris.withOption(uri, "schema", "create")),
        server.source(),
        PREFIX);
  }

  /** A server for what is not a provider of ours. */
  public static Backend forPeer(String id) {
    PostgresServer server = TestPostgres.start();
    String uri = server.uri().replaceFirst("^[^:]*:", id + ":");
    return on(server, server.uri(), uri, server.source(), PeerTables.PREFIX);
  }

  /** A server that the user named; its tables are not ours to create. */
  static Backend at(String uri) {
    String plain = uri.replaceFirst("\\?.*$", "").replaceFirst("^[^:]*:", "postgres:");
    boolean simple = LockUris.host(plain).isPresent()
        && !LockUris.hasOption(uri, "tls")
        && !LockUris.hasOption(uri, PREFIX_OPTION)
        && !LockUris.hasOption(uri, LockUris.NAMESPACE);
    return Optional.of(plain)
        .filter(address -> simple)
        .flatMap(PostgresBackends::connect)
        .map(server -> on(server, plain, inNamespace(uri), Backend.GIVEN, PREFIX))
        .orElseGet(() -> Backend.behindProvider(uri));
  }

  private static String inNamespace(String uri) {
    return LockUris.withOption(uri, LockUris.NAMESPACE, LockUris.freshNamespace());
  }

  private static Backend on(
      PostgresServer server, String address, String uri, String origin, String names) {
    return new Backend(
        uri,
        origin,
        false,
        Optional.of(ServerKind.POSTGRES.probe(ServerAddress.parse(ServerKind.POSTGRES, address))),
        names,
        Optional.of(PostgresFaults.of(server, names)),
        Map.of(),
        Admin.of(server),
        server::close);
  }

  private static Optional<PostgresServer> connect(String address) {
    try (TemporaryProperty unused = TemporaryProperty.set(GIVEN_PROPERTY, address)) {
      return Optional.of(TestPostgres.builder().from(PostgresSource.GIVEN).start());
    } catch (TestServerException e) {
      // The provider will say better what is wrong with the server.
      return Optional.empty();
    }
  }
}
