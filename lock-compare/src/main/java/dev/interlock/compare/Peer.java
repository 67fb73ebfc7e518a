package dev.interlock.compare;

import dev.interlock.compare.peers.RedissonFairLockSource;
import dev.interlock.compare.peers.RedissonFencedLockSource;
import dev.interlock.compare.peers.RedissonLockSource;
import dev.interlock.compare.peers.SpringJdbcLockSource;
import dev.interlock.compare.peers.SpringRedisLockSource;
import dev.interlock.tck.ClientSource;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Another library's lock, judged beside the providers. Another one is a line in {@link #ALL}, a
 * source in the package of the peers, and a dependency in the pom.
 *
 * @param id what the report calls it
 * @param source opens its clients
 * @param kind the server that it needs
 */
record Peer(String id, Class<? extends ClientSource> source, ServerKind kind) {
  static final List<Peer> ALL = List.of(
      new Peer("redisson", RedissonLockSource.class, ServerKind.REDIS),
      new Peer("redisson-fair", RedissonFairLockSource.class, ServerKind.REDIS),
      new Peer("redisson-fenced", RedissonFencedLockSource.class, ServerKind.REDIS),
      new Peer("spring-redis", SpringRedisLockSource.class, ServerKind.REDIS),
      new Peer("spring-jdbc", SpringJdbcLockSource.class, ServerKind.MYSQL));

  static Optional<Peer> find(String id) {
    return ALL.stream().filter(peer -> peer.id().equals(id)).findFirst();
  }

  static String knownIds() {
    return ALL.stream().map(Peer::id).collect(Collectors.joining(", "));
  }
}
