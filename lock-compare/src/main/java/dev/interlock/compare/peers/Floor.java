package dev.interlock.compare.peers;

import dev.interlock.compare.servers.Backend;
import dev.interlock.compare.servers.LockUris;
import dev.interlock.compare.servers.MysqlBackends;
import dev.interlock.compare.servers.PostgresBackends;
import dev.interlock.compare.servers.RedisBackends;
import dev.interlock.measure.SectionClient;
import dev.interlock.measure.floor.RedisFloor;
import dev.interlock.measure.floor.SqlFloor;
import dev.interlock.measure.server.ServerAddress;
import dev.interlock.measure.server.ServerKind;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/** The least that a lock costs on a kind of server, to measure the others by. */
public enum Floor {
  /** {@code SET NX PX}, and a script that compares and deletes. */
  REDIS("raw-redis", ServerKind.REDIS, List.of("redis"), RedisBackends::forPeer),
  /** Two durable updates. */
  MYSQL("raw-mysql", ServerKind.MYSQL, List.of("mysql", "jdbc"), MysqlBackends::forPeer),
  /** Two durable updates. */
  POSTGRES("raw-postgres", ServerKind.POSTGRES, List.of("postgres"), PostgresBackends::forPeer);

  private static final int CONNECTIONS = 16;

  private final String id;
  private final ServerKind kind;
  private final List<String> words;
  private final Function<String, Backend> starter;

  Floor(String id, ServerKind kind, List<String> words, Function<String, Backend> starter) {
    this.id = id;
    this.kind = kind;
    this.words = words;
    this.starter = starter;
  }

  /** What the report calls it, and the scheme of its URIs. */
  public String id() {
    return id;
  }

  /** Starts a server for it alone. */
  public Backend start() {
    return starter.apply(id);
  }

  /** Those of the servers that these locks use, by the locks' ids. */
  public static List<Floor> of(List<String> ids) {
    return Stream.of(values())
        .filter(floor -> ids.stream().anyMatch(id -> floor.words.stream().anyMatch(id::contains)))
        .toList();
  }

  static Optional<Floor> find(String uri) {
    String scheme = LockUris.scheme(uri).orElse("");
    return Stream.of(values()).filter(floor -> floor.id.equals(scheme)).findFirst();
  }

  SectionClient open(String uri) {
    ServerAddress server = ServerAddress.parse(kind, uri.replaceFirst("^[^:]*", kind.scheme()));
    return kind == ServerKind.REDIS
        ? new RedisFloor(server, CONNECTIONS)
        : new SqlFloor(server, CONNECTIONS);
  }
}
