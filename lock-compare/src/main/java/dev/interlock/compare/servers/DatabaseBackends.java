package dev.interlock.compare.servers;

import dev.interlock.measure.peers.PeerTables;
import dev.interlock.measure.server.ServerAddress;
import dev.interlock.measure.server.ServerKind;
import dev.interlock.tck.TckServer;
import dev.interlock.testservers.DatabaseServer;
import dev.interlock.testservers.MysqlFaults;
import dev.interlock.testservers.MysqlServer;
import dev.interlock.testservers.MysqlSource;
import dev.interlock.testservers.PostgresFaults;
import dev.interlock.testservers.PostgresServer;
import dev.interlock.testservers.PostgresSource;
import dev.interlock.testservers.TestMysql;
import dev.interlock.testservers.TestPostgres;
import dev.interlock.testservers.TestServerException;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/**
 * Database servers of one kind.
 *
 * @param <S> the kind
 */
public final class DatabaseBackends<S extends DatabaseServer> {
  /** MySQL and MariaDB servers. */
  public static final DatabaseBackends<MysqlServer> MYSQL = new DatabaseBackends<>(
      ServerKind.MYSQL,
      TestMysql::start,
      () -> TestMysql.builder().from(MysqlSource.GIVEN).start(),
      MysqlFaults::of);

  /** PostgreSQL servers. */
  public static final DatabaseBackends<PostgresServer> POSTGRES = new DatabaseBackends<>(
      ServerKind.POSTGRES,
      TestPostgres::start,
      () -> TestPostgres.builder().from(PostgresSource.GIVEN).start(),
      PostgresFaults::of);

  private static final String PREFIX_OPTION = "tablePrefix";
  private static final String DEFAULT_PREFIX = "interlock_";

  private final ServerKind kind;
  private final Supplier<S> anyServer;
  private final Supplier<S> givenServer;
  private final BiFunction<S, String, TckServer> faults;

  private DatabaseBackends(
      ServerKind kind,
      Supplier<S> anyServer,
      Supplier<S> givenServer,
      BiFunction<S, String, TckServer> faults) {
    this.kind = kind;
    this.anyServer = anyServer;
    this.givenServer = givenServer;
    this.faults = faults;
  }

  Backend start(String provider) {
    S server = anyServer.get();
    String uri = LockUris.withOption(withScheme(provider, server.uri()), "schema", "create");
    return on(server, server.uri(), inNamespace(uri), server.source(), DEFAULT_PREFIX);
  }

  /** A server for what is not a provider of ours. */
  public Backend forPeer(String id) {
    S server = anyServer.get();
    String uri = withScheme(id, server.uri());
    return on(server, server.uri(), uri, server.source(), PeerTables.PREFIX);
  }

  /** A server that the user named; its tables are not ours to create. */
  Backend at(String uri) {
    String plain = withScheme(kind.scheme(), uri.replaceFirst("\\?.*$", ""));
    boolean simple = LockUris.host(plain).isPresent()
        && !LockUris.hasOption(uri, "tls")
        && !LockUris.hasOption(uri, PREFIX_OPTION)
        && !LockUris.hasOption(uri, LockUris.NAMESPACE);
    return Optional.of(plain)
        .filter(address -> simple)
        .flatMap(this::connect)
        .map(server -> on(server, plain, inNamespace(uri), Backend.GIVEN, DEFAULT_PREFIX))
        .orElseGet(() -> Backend.behindProvider(uri));
  }

  private static String withScheme(String scheme, String uri) {
    return uri.replaceFirst("^[^:]*:", scheme + ":");
  }

  private static String inNamespace(String uri) {
    return LockUris.withOption(uri, LockUris.NAMESPACE, LockUris.freshNamespace());
  }

  private Backend on(S server, String address, String uri, String origin, String names) {
    return new Backend(
        uri,
        origin,
        false,
        Optional.of(kind.probe(ServerAddress.parse(kind, address))),
        names,
        Optional.of(faults.apply(server, names)),
        Map.of(),
        Admin.of(server),
        server::close);
  }

  private Optional<S> connect(String address) {
    try (TemporaryProperty unused =
        TemporaryProperty.set("interlock.test." + kind.scheme(), address)) {
      return Optional.of(givenServer.get());
    } catch (TestServerException e) {
      // The provider will say better what is wrong with the server.
      return Optional.empty();
    }
  }
}
