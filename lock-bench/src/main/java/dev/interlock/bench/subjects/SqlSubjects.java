package dev.interlock.bench.subjects;

import dev.interlock.Locks;
import dev.interlock.ProviderInfo;
import dev.interlock.measure.floor.SqlFloor;
import dev.interlock.measure.peers.NamedLocks;
import dev.interlock.measure.peers.ShedLocks;
import dev.interlock.measure.peers.SpringJdbcLocks;
import dev.interlock.measure.peers.Versions;
import java.util.ArrayList;
import java.util.List;

/** What is measured in a database: the floor, the peers, and the provider if it is there. */
final class SqlSubjects {
  private SqlSubjects() {}

  static List<Subject> onMysql() {
    return all("mysql", "get-lock", "GET_LOCK", Versions.connector());
  }

  static List<Subject> onPostgres() {
    return all("postgres", "advisory-lock", "advisory lock", Versions.pgjdbc());
  }

  private static List<Subject> all(String ours, String named, String namedLabel, String driver) {
    List<Subject> all = new ArrayList<>();
    all.add(new Subject(
        Subjects.FLOOR,
        "raw floor: two durable updates",
        Subject.Kind.FLOOR,
        driver,
        SqlFloor::new));
    all.add(new Subject(
        named,
        namedLabel + " (not durable)",
        Subject.Kind.PEER,
        driver,
        (server, threads) -> new NamedLocks(server, threads, false)));
    all.add(new Subject(
        named + "-durable",
        namedLabel + " after one durable update",
        Subject.Kind.PEER,
        driver,
        (server, threads) -> new NamedLocks(server, threads, true)));
    all.add(new Subject(
        "spring-jdbc",
        "Spring JdbcLockRegistry",
        Subject.Kind.PEER,
        Versions.springIntegrationJdbc(),
        SpringJdbcLocks::new));
    all.add(new Subject(
        "shedlock",
        "ShedLock JDBC, 1 ms polling",
        Subject.Kind.PEER,
        Versions.shedLock(),
        ShedLocks::new));
    for (ProviderInfo provider : Locks.providers()) {
      if (provider.id().equals(ours)) {
        all.add(InterlockSubject.asDefault(provider, "?schema=create"));
        all.add(InterlockSubject.fair(provider, false, "?schema=create"));
      }
    }
    return List.copyOf(all);
  }
}
