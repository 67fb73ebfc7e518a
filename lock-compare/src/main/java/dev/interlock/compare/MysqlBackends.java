package dev.interlock.compare;

import dev.interlock.testservers.MysqlFaults;
import dev.interlock.testservers.MysqlServer;
import dev.interlock.testservers.MysqlSource;
import dev.interlock.testservers.TestMysql;
import dev.interlock.testservers.TestServerException;
import java.util.Map;
import java.util.Optional;

/** MySQL and MariaDB servers for the providers that need one. */
final class MysqlBackends {
  private static final String GIVEN_PROPERTY = "interlock.test.mysql";
  private static final String PREFIX_OPTION = "tablePrefix";
  private static final String DEFAULT_PREFIX = "interlock_";

  /** What the kit cannot do to this kind of server. */
  private static final Map<String, String> WAIVERS = Map.of(
      "E9", "not tested: the columns have types, so nothing unreadable can be put in a lock's row",
      "E10", "not tested: a full tablespace that still takes changes cannot be brought about");

  private MysqlBackends() {}

  static Backend start(String provider) {
    MysqlServer server = TestMysql.start();
    String uri = server.uri().replaceFirst("^[^:]*:", provider + ":");
    return on(server, LockUris.withOption(uri, "schema", "create"), server.source());
  }

  /** A server that the user named; its tables are not ours to create. */
  static Backend at(String uri) {
    String plain = uri.replaceFirst("\\?.*$", "").replaceFirst("^[^:]*:", "mysql:");
    boolean simple = LockUris.host(plain).isPresent()
        && !LockUris.hasOption(uri, "tls")
        && !LockUris.hasOption(uri, PREFIX_OPTION)
        && !LockUris.hasOption(uri, ServerBackend.NAMESPACE);
    return Optional.of(plain)
        .filter(address -> simple)
        .flatMap(MysqlBackends::connect)
        .map(server -> on(server, uri, ServerBackend.GIVEN))
        .orElseGet(() -> ServerBackend.behindProvider(uri));
  }

  private static Backend on(MysqlServer server, String uri, String origin) {
    String namespace = ServerBackend.freshNamespace();
    return new ServerBackend(
        LockUris.withOption(uri, ServerBackend.NAMESPACE, namespace),
        origin,
        Optional.of(new MysqlProbe(server, DEFAULT_PREFIX)),
        Optional.of(MysqlFaults.of(server, DEFAULT_PREFIX)),
        WAIVERS,
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
