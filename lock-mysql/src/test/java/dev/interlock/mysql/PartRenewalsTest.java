package dev.interlock.mysql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.contract.TestClient;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import dev.interlock.spi.RenewalResult;
import dev.interlock.testservers.MysqlServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Readers, permits and further holds of many locks, renewed together. */
@Timeout(60)
class PartRenewalsTest {
  private static final int LOCKS = 20;
  private static final int ALL = Integer.MAX_VALUE;

  private final MysqlServer server = Server.shared();
  private final String namespace = Server.freshNamespace();
  private final String uri = server.uri() + "?schema=create&namespace=" + namespace;
  private final Queue<String> sent = new ConcurrentLinkedQueue<>();

  private TestClient counted() throws SQLException {
    return OddPool.client(namespace, (usual, sql) -> {
      sent.add(sql);
      return usual;
    });
  }

  private static Renewal held(TestClient client, String name, int units, int capacity) {
    HoldId id = client.id();
    assertThat(client.backend.attempt(
            Attempt.of(name, id, "owner " + id, TestClient.LEASE).withUnits(units, capacity)))
        .isInstanceOf(Grant.class);
    return Renewal.of(name, id, TestClient.LEASE, false);
  }

  private static Renewal heldAs(TestClient client, String owner, String name) {
    HoldId id = client.id();
    assertThat(client.attemptAs(owner, name, id, Duration.ZERO)).isInstanceOf(Grant.class);
    return Renewal.of(name, id, TestClient.LEASE, false);
  }

  private static List<String> kinds(List<RenewalResult> answers) {
    return answers.stream().map(answer -> answer.getClass().getSimpleName()).toList();
  }

  @Test
  void n6_thePartsOfManyLocksTakeOnePacket() throws SQLException {
    try (TestClient client = counted();
        TestClient other = Server.client(uri)) {
      List<Renewal> batch = new ArrayList<>();
      for (int i = 0; i < LOCKS; i++) {
        batch.add(held(client, "reader " + i, 1, ALL));
        batch.add(held(client, "permits " + i, 2, 3));
        heldAs(other, "saga", "owner " + i);
        batch.add(heldAs(client, "saga", "owner " + i));
      }
      sent.clear();
      assertThat(RenewalAnswers.collect(client.backend, batch))
          .hasSize(3 * LOCKS)
          .hasOnlyElementsOfType(Grant.class);
      assertThat(sent).hasSize(1);
    }
  }

  @Test
  void n6_theReadersOfOneLockTakeOnePacket() throws SQLException {
    try (TestClient client = counted()) {
      List<Renewal> batch =
          IntStream.range(0, LOCKS).mapToObj(i -> held(client, "a", 1, ALL)).toList();
      sent.clear();
      assertThat(RenewalAnswers.collect(client.backend, batch))
          .hasSize(LOCKS)
          .hasOnlyElementsOfType(Grant.class);
      assertThat(sent).hasSize(1);
    }
  }

  /** Whatever the server has against it, such as a trigger of an operator. */
  @Test
  void e9_aLockThatTheServerRefusesToRenewFailsAlone() {
    String own = "refused_";
    try (TestClient client = Server.client(uri + "&tablePrefix=" + own)) {
      List<Renewal> batch = List.of(
          held(client, "a", 1, ALL), held(client, "refused", 1, ALL), held(client, "b", 1, ALL));
      server.execute("CREATE TRIGGER " + own + "t BEFORE UPDATE ON " + own + "entry FOR EACH ROW"
          + " SET NEW.until_us = IF(NEW.lock_key LIKE '%:refused', NULL, NEW.until_us)");
      assertThat(kinds(RenewalAnswers.collect(client.backend, batch)))
          .containsExactly("Grant", "Failed", "Grant");
      server.execute("DROP TRIGGER " + own + "t");
      assertThat(kinds(RenewalAnswers.collect(client.backend, batch)))
          .containsExactly("Grant", "Grant", "Grant");
    } finally {
      server.execute("DROP TABLE " + own + "lock, " + own + "entry, " + own + "counter");
    }
  }

  @Test
  void e9_anExclusiveHoldThatTheServerRefusesToRenewFailsAlone() {
    String own = "refused_";
    try (TestClient client = Server.client(uri + "&tablePrefix=" + own)) {
      List<Renewal> batch =
          List.of(held(client, "a", 1, 1), held(client, "refused", 1, 1), held(client, "b", 1, 1));
      server.execute("CREATE TRIGGER " + own + "t BEFORE UPDATE ON " + own + "lock FOR EACH ROW"
          + " SET NEW.until_us = IF(NEW.lock_key LIKE '%:refused', NULL, NEW.until_us)");
      assertThat(kinds(RenewalAnswers.collect(client.backend, batch)))
          .containsExactly("Grant", "Failed", "Grant");
      server.execute("DROP TRIGGER " + own + "t");
    } finally {
      server.execute("DROP TABLE " + own + "lock, " + own + "entry, " + own + "counter");
    }
  }

  @Test
  void n8_anEntryThatSomebodyKeepsLockedFailsAlone() throws SQLException {
    try (TestClient client = Server.client(uri);
        Connection keeper =
            new OddPool(server, server.database(), (usual, sql) -> usual).getConnection();
        Statement statement = keeper.createStatement()) {
      List<Renewal> batch = List.of(held(client, "kept", 1, ALL), held(client, "b", 1, ALL));
      keeper.setAutoCommit(false);
      statement.executeQuery("SELECT * FROM interlock_entry WHERE "
          + CountedHoldsTest.is(batch.get(0).id()) + " FOR UPDATE");
      assertThat(kinds(RenewalAnswers.collect(client.backend, batch)))
          .containsExactly("Failed", "Grant");
    }
  }

  @Test
  void n3_aHoldThatHasRunOutIsNotRevivedWithTheOthers() {
    try (TestClient client = Server.client(uri)) {
      List<Renewal> batch = List.of(
          held(client, "a", 1, ALL), held(client, "over", 1, ALL), held(client, "over", 1, ALL));
      HoldId over = batch.get(1).id();
      server.execute("UPDATE interlock_entry SET until_us = 1 WHERE " + CountedHoldsTest.is(over));
      assertThat(kinds(RenewalAnswers.collect(client.backend, batch)))
          .containsExactly("Grant", "Gone", "Grant");
      assertThat(client.backend.inspect("over").orElseThrow().others()).isEmpty();
    }
  }

  @Test
  void n4_noLeaseOfABatchIsShortenedAndNoOtherHoldIsProlonged() throws SQLException {
    try (TestClient client = counted();
        TestClient other = Server.client(uri)) {
      Renewal theirs = held(other, "a", 1, ALL);
      Renewal first = held(client, "a", 1, ALL);
      Renewal second = held(client, "b", 1, ALL);
      HoldId id = first.id();
      RenewalAnswers.collect(
          client.backend, List.of(Renewal.of("a", id, Duration.ofMinutes(5), false), second));
      String long1 = CountedHoldsTest.untilOf(id);
      String until = CountedHoldsTest.untilOf(theirs.id());
      String before = CountedHoldsTest.untilOf(second.id());
      assertThat(kinds(RenewalAnswers.collect(client.backend, List.of(first, second))))
          .containsExactly("Grant", "Grant");
      assertThat(CountedHoldsTest.untilOf(id)).isEqualTo(long1);
      assertThat(CountedHoldsTest.untilOf(theirs.id())).isEqualTo(until);
      assertThat(CountedHoldsTest.untilOf(second.id())).isGreaterThan(before);
    }
  }

  /** That takes a transaction on its lock, once. */
  @Test
  void t1_aTokenThatIsTooSmallIsRaised() throws SQLException {
    try (TestClient client = counted()) {
      Renewal held = held(client, "a", 1, ALL);
      long token = client.backend.inspect("a").orElseThrow().fencingToken();
      List<Renewal> batch = List.of(held.withMinToken(token + 1_000), held(client, "b", 1, ALL));
      for (int i = 0; i < 2; i++) {
        sent.clear();
        assertThat(((Grant) RenewalAnswers.collect(client.backend, batch).get(0)).fencingToken())
            .isEqualTo(token + 1_000);
      }
      assertThat(sent).hasSize(1);
    }
  }
}
