package dev.interlock.bench;

import java.util.function.BiFunction;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** Redisson's locks, with the settings that Redisson has by default. */
final class RedissonSubject implements SubjectClient {
  private final RedissonClient redisson;
  private final BiFunction<RedissonClient, String, RLock> locks;

  private RedissonSubject(
      RedissonClient redisson, BiFunction<RedissonClient, String, RLock> locks) {
    this.redisson = redisson;
    this.locks = locks;
  }

  static Subject subject(String id, String label, BiFunction<RedissonClient, String, RLock> locks) {
    return new Subject(
        id,
        label,
        Subject.Kind.PEER,
        Versions.redisson(),
        (server, threads) -> new RedissonSubject(open(server), locks));
  }

  private static RedissonClient open(ServerAddress server) {
    Config config = new Config();
    server.user().ifPresent(config::setUsername);
    server.password().ifPresent(config::setPassword);
    config
        .useSingleServer()
        .setAddress("redis://" + server.host() + ":" + server.port())
        .setDatabase(Integer.parseInt(server.database()));
    return Redisson.create(config);
  }

  @Override
  public SectionLock lock(String name) {
    return new JavaLock(locks.apply(redisson, name));
  }

  @Override
  public void close() {
    redisson.shutdown();
  }
}
