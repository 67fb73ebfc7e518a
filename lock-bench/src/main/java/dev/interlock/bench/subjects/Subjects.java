package dev.interlock.bench.subjects;

import dev.interlock.Locks;
import dev.interlock.measure.server.ServerKind;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Picks what is measured. */
public final class Subjects {
  static final String FLOOR = "floor";

  private Subjects() {}

  /** Returns what can be measured on a server. */
  public static List<Subject> on(ServerKind kind) {
    return switch (kind) {
      case REDIS -> RedisSubjects.all();
      case MYSQL -> SqlSubjects.onMysql();
      case POSTGRES -> SqlSubjects.onPostgres();
    };
  }

  /** Returns the subjects whose uncontended path JMH measures: the floor and the providers. */
  public static List<Subject> forJmh() {
    List<Subject> all = new ArrayList<>(RedisSubjects.all());
    all.removeIf(subject -> subject.kind() == Subject.Kind.PEER);
    Locks.providers().stream()
        .filter(provider -> provider.id().equals("local"))
        .map(InterlockSubject::local)
        .forEach(all::add);
    return List.copyOf(all);
  }

  /**
   * Picks subjects. The floor is always among them, since the ratios rest on it.
   *
   * @param ids what to pick; empty for all
   * @throws IllegalArgumentException if one is not known; names those that are
   */
  public static List<Subject> select(List<Subject> all, List<String> ids) {
    if (ids.isEmpty()) {
      return all;
    }
    Set<String> wanted = new LinkedHashSet<>(ids);
    List<String> known = all.stream().map(Subject::id).toList();
    List<String> unknown = wanted.stream().filter(id -> !known.contains(id)).toList();
    if (!unknown.isEmpty()) {
      throw new IllegalArgumentException("There is no subject '"
          + String.join("', '", unknown)
          + "'. Known are "
          + String.join(", ", known));
    }
    wanted.add(FLOOR);
    return all.stream().filter(subject -> wanted.contains(subject.id())).toList();
  }
}
