package dev.interlock.compare.servers;

import dev.interlock.measure.peers.PeerTables;
import dev.interlock.measure.server.ServerAddress;
import dev.interlock.measure.server.ServerKind;
import dev.interlock.testservers.MysqlFaults;
import dev.interlock.testservers.MysqlServer;
import dev.interlock.testservers.MysqlSource;
import dev.interlock.testservers.TestMysql;
import dev.interlock.testservers.TestServerException;
import java.util.Map;
import java.util.Optional;

/** MySQL and MariaDB servers. */
public final class MysqlBackends {
  private static final String GIVEN_PROPERTY = "interlock.test.mysql";
  private static final String PREFIX_OPTION = "tablePrefix";
  private static final String DEFAULT_PREFIX = "interlock_";

  private MysqlBackends() {}

  static Backend start(String provider) {
    MysqlServer server = TestMysql.start();
    String uri = server.uri().replaceFirst("^[^:]*:", provider + ":");
    return on(
        server,
        server.uri(),
        inNamespace(LockUris.withOption(uri, "schema", "create")),
        server.source(),
        DEFAULT_PREFIX);
  }

  /** A server for another library's lock. */
  public static Backend forPeer(String id) {
    MysqlServer server = TestMysql.start();
    String uri = server.uri().replaceFirst("^[^:]*:", id + ":");
    return on(server, server.uri(), uri, server.source(), PeerTables.PREFIX);
  }

  /** A server that the user named; its tables are not ours to create. */
  static Backend at(String uri) {
    String plain = uri.replaceFirst("\\?.*$", "").replaceFirst("^[^:]*:", "mysql:");
    boolean simple = LockUris.host(plain).isPresent()
        && !LockUris.hasOption(uri, "tls")
        && !LockUris.hasOption(uri, PREFIX_OPTION)
        && !LockUris.hasOption(uri, LockUris.NAMESPACE);
    return Optional.of(plain)
        .filter(address -> simple)
        .flatMap(MysqlBackends::connect)
        .map(server -> on(server, plain, inNamespace(uri), Backend.GIVEN, DEFAULT_PREFIX))
        .orElseGet(() -> Backend.behindProvider(uri));
  }

  private static String inNamespace(String uri) {
    return LockUris.withOption(uri, LockUris.NAMESPACE, LockUris.freshNamespace());
  }

  private static Backend on(
      MysqlServer server, String address, String uri, String origin, String names) {
    return new Backend(
        uri,
        origin,
        false,
        Optional.of(ServerKind.MYSQL.probe(ServerAddress.parse(ServerKind.MYSQL, address))),
        names,
        Optional.of(MysqlFaults.of(server, names)),
        Map.of(),
        Admin.of(server),
        server::close);
  }

  private static Optional<MysqlServer> connect(String address) {
    try (TemporaryProperty unused = TemporaryProperty.set(GIVEN_PROPERTY, address)) {
      return Optional.of(TestMysql.builder().from(MysqlSource.GIVEN).start());
    } catch (TestServerException e) {
      // The provider will say better what is wrong with the server.
      return Optional.empty();
    }
  }
}
