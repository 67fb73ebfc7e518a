package dev.interlock.compare.servers;

import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * A provider to compare. Another one is a line in {@link #ALL}, and a dependency in the pom.
 *
 * @param id the provider's id
 * @param starter starts the server that the provider with this id needs
 * @param connector uses the server at this URI of the provider's
 */
public record Subject(
    String id, Function<String, Backend> starter, Function<String, Backend> connector) {
  /** All of them, in the report's order. */
  public static final List<Subject> ALL = List.of(
      new Subject("local", id -> Backend.inThisJvm(id + "://"), Backend::inThisJvm),
      new Subject("redis-setnx", RedisBackends::start, RedisBackends::at),
      new Subject("redis-watch", RedisBackends::start, RedisBackends::at),
      new Subject("redis-hash", RedisBackends::start, RedisBackends::at),
      new Subject("mysql", DatabaseBackends.MYSQL::start, DatabaseBackends.MYSQL::at),
      new Subject("postgres", DatabaseBackends.POSTGRES::start, DatabaseBackends.POSTGRES::at),
      new Subject("quorum", QuorumBackends::start, Backend::behindProvider));

  /** Starts a server for it, unless the environment gives one. */
  public Backend start() {
    return starter.apply(id);
  }

  /** Uses a server that runs already. */
  public Backend at(String uri) {
    return connector.apply(uri);
  }

  /** The one with an id. */
  public static Optional<Subject> find(String id) {
    return ALL.stream().filter(subject -> subject.id().equals(id)).findFirst();
  }

  /** The ids, for messages. */
  public static String knownIds() {
    return ALL.stream().map(Subject::id).collect(Collectors.joining(", "));
  }
}
