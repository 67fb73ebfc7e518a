package dev.interlock.compare;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * A provider to compare. Another one is a line in {@link #ALL}, and a dependency in the pom.
 *
 * @param id the provider's id
 * @param kind the server that it needs
 * @param preview whether it is compared only when it is asked for by name
 */
record Subject(String id, ServerKind kind, boolean preview) {
  static final List<Subject> ALL = List.of(
      new Subject("local", ServerKind.NONE, false),
      new Subject("redis-setnx", ServerKind.REDIS, false),
      new Subject("redis-watch", ServerKind.REDIS, false),
      new Subject("redis-hash", ServerKind.REDIS, false),
      new Subject("mysql", ServerKind.MYSQL, true));

  /** Those of a run that names none. */
  static List<Subject> usual() {
    return ALL.stream().filter(subject -> !subject.preview()).toList();
  }

  static Optional<Subject> find(String id) {
    return ALL.stream().filter(subject -> subject.id().equals(id)).findFirst();
  }

  static String knownIds() {
    return ALL.stream().map(Subject::id).collect(Collectors.joining(", "));
  }
}
