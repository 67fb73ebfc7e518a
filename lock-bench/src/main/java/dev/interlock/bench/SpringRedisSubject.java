package dev.interlock.bench;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;

/** Spring Integration's lock registry on Lettuce, with the settings that both have by default. */
final class SpringRedisSubject implements SubjectClient {
  private final LettuceConnectionFactory connections;
  private final RedisLockRegistry registry;

  private SpringRedisSubject(LettuceConnectionFactory connections, RedisLockType type) {
    this.connections = connections;
    this.registry = new RedisLockRegistry(connections, "bench-spring-" + type);
    registry.setRedisLockType(type);
  }

  static Subject subject(String id, String label, RedisLockType type) {
    return new Subject(
        id,
        label,
        Subject.Kind.PEER,
        Versions.springIntegration(),
        (server, threads) -> new SpringRedisSubject(connect(server), type));
  }

  private static LettuceConnectionFactory connect(ServerAddress server) {
    var address = new RedisStandaloneConfiguration(server.host(), server.port());
    address.setDatabase(Integer.parseInt(server.database()));
    server.user().ifPresent(address::setUsername);
    server.password().ifPresent(address::setPassword);
    var connections = new LettuceConnectionFactory(address);
    connections.afterPropertiesSet();
    connections.start();
    return connections;
  }

  @Override
  public SectionLock lock(String name) {
    return new JavaLock(registry.obtain(name));
  }

  @Override
  public void close() {
    registry.destroy();
    connections.destroy();
  }
}
