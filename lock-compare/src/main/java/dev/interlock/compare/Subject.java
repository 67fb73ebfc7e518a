package dev.interlock.compare;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * A provider to compare. Another one is a line in {@link #ALL}, and a dependency in the pom.
 *
 * @param id the provider's id
 * @param kind the server that it needs
 */
record Subject(String id, ServerKind kind) {
  static final List<Subject> ALL = List.of(
      new Subject("local", ServerKind.NONE),
      new Subject("redis-setnx", ServerKind.REDIS),
      new Subject("redis-watch", ServerKind.REDIS),
      new Subject("redis-hash", ServerKind.REDIS),
      new Subject("mysql", ServerKind.MYSQL));

  static Optional<Subject> find(String id) {
    return ALL.stream().filter(subject -> subject.id().equals(id)).findFirst();
  }

  static String knownIds() {
    return ALL.stream().map(Subject::id).collect(Collectors.joining(", "));
  }
}
