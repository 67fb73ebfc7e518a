package dev.interlock.mysql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.HoldInfo;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import java.time.Duration;
import java.time.Instant;
import java.util.TimeZone;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Time is the server's, in UTC, whatever zones the server, its sessions and the clients are in. */
class TimeZoneTest {
  private static final Duration LEASE = Duration.ofSeconds(20);

  private TimeZone ofClient;
  private String ofServer;

  @BeforeEach
  void remember() {
    ofClient = TimeZone.getDefault();
    ofServer = Server.shared().execute("SELECT @@GLOBAL.time_zone");
  }

  @AfterEach
  void restore() {
    TimeZone.setDefault(ofClient);
    Server.shared().execute("SET GLOBAL time_zone = '" + ofServer + "'");
  }

  private static void move(String client, String newSessions) {
    TimeZone.setDefault(TimeZone.getTimeZone(client));
    Server.shared().execute("SET GLOBAL time_zone = '" + newSessions + "'");
  }

  @Test
  void l5_clientsAndSessionsInOtherZonesSeeTheSameLeaseAndRisingTokens() throws Exception {
    String uri = Server.uri();
    move("Pacific/Kiritimati", "+13:00");
    try (LockClient east = Locks.open(uri)) {
      Instant before = Instant.now();
      long begun = System.nanoTime();
      Lease held = east.acquire(LockRequest.of("a").withLease(LEASE));
      Instant after = Instant.now();
      move("Etc/GMT+12", "-12:00");
      try (LockClient west = Locks.open(uri)) {
        assertThat(west.tryAcquire(LockRequest.of("a"))).isEmpty();
        HoldInfo seen = west.inspect("a").orElseThrow();
        Duration passed = Duration.ofNanos(System.nanoTime() - begun);
        assertThat(seen.remaining()).isBetween(LEASE.minus(passed).minusSeconds(1), LEASE);
        assertThat(seen.since()).isBetween(before.minusSeconds(1), after.plusSeconds(1));
        long token = held.fencingToken();
        held.release();
        try (Lease next = west.acquire(LockRequest.of("a").withLease(LEASE))) {
          assertThat(next.fencingToken()).isGreaterThan(token);
          assertThat(east.tryAcquire(LockRequest.of("a"))).isEmpty();
        }
      }
    }
  }

  @Test
  void l6_aLeaseRunsOutInTimeAfterTheZonesWereMoved() throws Exception {
    String uri = Server.uri();
    try (LockClient first = Locks.open(uri)) {
      long begun = System.nanoTime();
      first.acquire(LockRequest.of("a").withLease(Duration.ofSeconds(1)));
      move("Pacific/Kiritimati", "-12:00");
      try (LockClient second = Locks.open(uri);
          Lease taken = second.acquire(LockRequest.of("a").withWait(LEASE))) {
        assertThat(Duration.ofNanos(System.nanoTime() - begun))
            .isBetween(Duration.ofMillis(500), Duration.ofSeconds(10));
        assertThat(taken.isValid()).isTrue();
      }
    }
  }
}
