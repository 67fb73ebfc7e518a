package dev.interlock.compare.servers;

import dev.interlock.measure.server.ServerAddress;
import dev.interlock.measure.server.ServerKind;
import dev.interlock.testservers.RedisFaults;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.RedisSource;
import dev.interlock.testservers.TestRedis;
import dev.interlock.testservers.TestServerException;
import java.util.Map;
import java.util.Optional;

/** Redis servers, one for each lock, so that none sees what another left. */
public final class RedisBackends {
  private static final String GIVEN_PROPERTY = "interlock.test.redis";

  private RedisBackends() {}

  static Backend start(String provider) {
    RedisServer server = TestRedis.start();
    return inNamespace(server, server.uri(provider), server.source());
  }

  /** A server for another library's lock; every key is its own. */
  public static Backend forPeer(String id) {
    RedisServer server = TestRedis.start();
    return on(server, server.uri(id), server.source(), "");
  }

  /** A server that the user named; it is asked past the provider only where that is simple. */
  static Backend at(String uri) {
    String plain = uri.replaceFirst("\\?.*$", "").replaceFirst("^[^:]*:", "redis:");
    boolean simple = LockUris.host(plain).isPresent()
        && !LockUris.hasOption(uri, "tls")
        && !LockUris.hasOption(uri, LockUris.NAMESPACE);
    return Optional.of(plain)
        .filter(address -> simple)
        .flatMap(RedisBackends::connect)
        .map(server -> inNamespace(server, uri, Backend.GIVEN))
        .orElseGet(() -> Backend.behindProvider(uri));
  }

  private static Backend inNamespace(RedisServer server, String uri, String origin) {
    String namespace = LockUris.freshNamespace();
    String within = LockUris.withOption(uri, LockUris.NAMESPACE, namespace);
    return on(server, within, origin, namespace);
  }

  private static Backend on(RedisServer server, String uri, String origin, String names) {
    RedisFaults faults = RedisFaults.of(server);
    ServerAddress address = ServerAddress.parse(ServerKind.REDIS, server.uri());
    return new Backend(
        uri,
        origin,
        false,
        Optional.of(ServerKind.REDIS.probe(address)),
        names,
        Optional.of(faults),
        waivers(uri, faults),
        Admin.of(server),
        server::close);
  }

  private static Map<String, String> waivers(String uri, RedisFaults faults) {
    return faults
        .fullMeansNoTransactions()
        .filter(why -> uri.startsWith("redis-watch:"))
        .map(why -> Map.of("E10", why))
        .orElse(Map.of());
  }

  private static Optional<RedisServer> connect(String address) {
    try (TemporaryProperty unused = TemporaryProperty.set(GIVEN_PROPERTY, address)) {
      return Optional.of(TestRedis.builder().from(RedisSource.GIVEN).start());
    } catch (TestServerException e) {
      // The provider will say better what is wrong with the server.
      return Optional.empty();
    }
  }
}
