package dev.interlock.compare.peers;

import dev.interlock.compare.servers.Backend;
import dev.interlock.compare.servers.DatabaseBackends;
import dev.interlock.compare.servers.LockUris;
import dev.interlock.compare.servers.RedisBackends;
import dev.interlock.measure.SectionClient;
import dev.interlock.measure.floor.RedisFloor;
import dev.interlock.measure.floor.SqlFloor;
import dev.interlock.measure.server.ServerAddress;
import dev.interlock.measure.server.ServerKind;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * The least that a lock costs on a kind of server, to measure the others by.
 *
 * @param id what the report calls it, and the scheme of its URIs
 * @param kind of the server
 * @param words what the ids of locks on this kind of server have in them
 * @param starter starts a server for it alone
 */
public record Floor(
    String id, ServerKind kind, List<String> words, Function<String, Backend> starter) {
  /** {@code SET NX PX} and a script, or two durable updates. */
  private static final List<Floor> ALL = List.of(
      new Floor("raw-redis", ServerKind.REDIS, List.of("redis"), RedisBackends::forPeer),
      new Floor(
          "raw-mysql", ServerKind.MYSQL, List.of("mysql", "jdbc"), DatabaseBackends.MYSQL::forPeer),
      new Floor(
          "raw-postgres",
          ServerKind.POSTGRES,
          List.of("postgres"),
          DatabaseBackends.POSTGRES::forPeer));

  private static final int CONNECTIONS = 16;

  /** Starts a server for it alone. */
  public Backend start() {
    return starter.apply(id);
  }

  /** Those of the servers that these locks use, by the locks' ids. */
  public static List<Floor> of(List<String> ids) {
    return ALL.stream()
        .filter(floor -> ids.stream().anyMatch(id -> floor.words.stream().anyMatch(id::contains)))
        .toList();
  }

  static Optional<Floor> find(String uri) {
    String scheme = LockUris.scheme(uri).orElse("");
    return ALL.stream().filter(floor -> floor.id.equals(scheme)).findFirst();
  }

  SectionClient open(String uri) {
    ServerAddress server = ServerAddress.parse(kind, uri.replaceFirst("^[^:]*", kind.scheme()));
    return kind == ServerKind.REDIS
        ? new RedisFloor(server, CONNECTIONS)
        : new SqlFloor(server, CONNECTIONS);
  }
}
