package dev.interlock.compare.peers;

import dev.interlock.Capability;
import dev.interlock.compare.servers.Backend;
import dev.interlock.compare.servers.DatabaseBackends;
import dev.interlock.compare.servers.RedisBackends;
import dev.interlock.tck.ClientSource;
import dev.interlock.tck.TckBackend;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Another library's lock, judged beside the providers. Another one is a line in {@link #ALL} and a
 * {@link PeerSource}.
 *
 * @param id what the report calls it
 * @param source opens its clients
 * @param starter starts the server that it needs
 */
public record Peer(
    String id, Class<? extends ClientSource> source, Function<String, Backend> starter) {
  /** All of them, in the report's order. */
  public static final List<Peer> ALL = List.of(
      new Peer("redisson", PeerSource.Redisson.class, RedisBackends::forPeer),
      new Peer("redisson-fair", PeerSource.RedissonFair.class, RedisBackends::forPeer),
      new Peer("redisson-fenced", PeerSource.RedissonFenced.class, RedisBackends::forPeer),
      new Peer("spring-redis", PeerSource.SpringRedis.class, RedisBackends::forPeer),
      new Peer("spring-jdbc", PeerSource.SpringJdbc.class, DatabaseBackends.MYSQL::forPeer));

  /** Starts a server for it alone. */
  public Backend start() {
    return starter.apply(id);
  }

  /** The version of the library. */
  public String version() {
    return open().version();
  }

  /** What the lock promises. */
  public Set<Capability> capabilities() {
    return open().capabilities();
  }

  /** Makes what opens its clients. */
  PeerSource open() {
    try {
      return (PeerSource) source.getDeclaredConstructor().newInstance();
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(source + " has no public constructor", e);
    }
  }

  /** What the kit is to judge. */
  public TckBackend target(Backend backend) {
    return backend
        .target()
        .openWith(source)
        .server(backend.probe().orElseThrow().version());
  }

  /** The one with an id. */
  public static Optional<Peer> find(String id) {
    return ALL.stream().filter(peer -> peer.id().equals(id)).findFirst();
  }

  /** The ids, for messages. */
  public static String knownIds() {
    return ALL.stream().map(Peer::id).collect(Collectors.joining(", "));
  }
}
