package dev.interlock.bench.subjects;

import dev.interlock.Locks;
import dev.interlock.ProviderInfo;
import dev.interlock.measure.peers.GetLocks;
import dev.interlock.measure.peers.ShedLocks;
import dev.interlock.measure.peers.SpringJdbcLocks;
import dev.interlock.measure.peers.Versions;
import java.util.ArrayList;
import java.util.List;

/** What is measured on MySQL and MariaDB: the floor, the peers, and the provider if it is there. */
final class MysqlSubjects {
  private MysqlSubjects() {}

  static List<Subject> all() {
    List<Subject> all = new ArrayList<>();
    all.add(new Subject(
        Subjects.FLOOR,
        "raw floor: two durable updates",
        Subject.Kind.FLOOR,
        Versions.connector(),
        MysqlFloor::new));
    all.add(new Subject(
        "get-lock",
        "GET_LOCK (not durable)",
        Subject.Kind.PEER,
        Versions.connector(),
        (server, threads) -> new GetLocks(server, threads, false)));
    all.add(new Subject(
        "get-lock-durable",
        "GET_LOCK after one durable update",
        Subject.Kind.PEER,
        Versions.connector(),
        (server, threads) -> new GetLocks(server, threads, true)));
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
      if (provider.id().equals("mysql")) {
        all.add(InterlockSubject.asDefault(provider, "?schema=create"));
        all.add(InterlockSubject.fair(provider, false, "?schema=create"));
      }
    }
    return List.copyOf(all);
  }
}
