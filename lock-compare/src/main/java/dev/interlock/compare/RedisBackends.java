package dev.interlock.compare;

import dev.interlock.testservers.RedisFaults;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.RedisSource;
import dev.interlock.testservers.TestRedis;
import dev.interlock.testservers.TestServerException;
import java.util.Map;
import java.util.Optional;

/** Redis servers for the providers that need one. */
final class RedisBackends {
  private static final String GIVEN_PROPERTY = "interlock.test.redis";

  private RedisBackends() {}

  static Backend start(String provider) {
    RedisServer server = TestRedis.start();
    return on(server, server.uri(provider), server.source());
  }

  /** A server that the user named; it is asked past the provider only where that is simple. */
  static Backend at(String uri) {
    String plain = uri.replaceFirst("\\?.*$", "").replaceFirst("^[^:]*:", "redis:");
    boolean simple = LockUris.host(plain).isPresent()
        && !LockUris.hasOption(uri, "tls")
        && !LockUris.hasOption(uri, ServerBackend.NAMESPACE);
    return Optional.of(plain)
        .filter(address -> simple)
        .flatMap(RedisBackends::connect)
        .map(server -> on(server, uri, ServerBackend.GIVEN))
        .orElseGet(() -> ServerBackend.behindProvider(uri));
  }

  private static Backend on(RedisServer server, String uri, String origin) {
    String namespace = ServerBackend.freshNamespace();
    RedisFaults faults = RedisFaults.of(server);
    return new ServerBackend(
        LockUris.withOption(uri, ServerBackend.NAMESPACE, namespace),
        origin,
        Optional.of(new RedisProbe(server, namespace)),
        Optional.of(faults),
        waivers(uri, faults),
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
