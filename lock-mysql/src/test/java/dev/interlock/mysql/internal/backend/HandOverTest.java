package dev.interlock.mysql.internal.backend;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.interlock.LockConfig;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.contract.TestClient;
import dev.interlock.contract.Undisturbed;
import dev.interlock.mysql.MysqlOptions;
import dev.interlock.mysql.OddPool;
import dev.interlock.mysql.ReplyEater;
import dev.interlock.mysql.Server;
import dev.interlock.mysql.internal.connection.MysqlDriver;
import dev.interlock.mysql.internal.grants.Waker;
import dev.interlock.mysql.internal.queue.Protocol;
import dev.interlock.mysql.internal.statements.LockKey;
import dev.interlock.mysql.internal.statements.LockSession;
import dev.interlock.mysql.internal.statements.Mappers;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.AttemptResult.Queued;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.ReleaseResult;
import dev.interlock.sql.support.Connections;
import dev.interlock.sql.support.Database;
import dev.interlock.sql.support.Micros;
import dev.interlock.sql.support.Opener;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A release that grants the lock to another client's waiter in its own packet. */
@Timeout(60)
@ParameterizedClass(name = "sessions keep its text: {0}")
@ValueSource(booleans = {false, true})
class HandOverTest {
  private static final Duration NONE = Duration.ZERO;
  private static final Duration LONG = Duration.ofMinutes(1);

  private static final boolean IS_MARIADB = Server.shared().version().startsWith("MariaDB");
  private final boolean keepsText;
  private final String namespace = Server.freshNamespace();
  private final String uri = Server.shared().uri() + "?schema=create&namespace=" + namespace;
  private final List<String> packets = new CopyOnWriteArrayList<>();
  private TestClient one;
  private TestClient two;

  HandOverTest(boolean keepsText) {
    this.keepsText = keepsText;
  }

  @BeforeEach
  void open() throws SQLException {
    assumeTrue(IS_MARIADB || !keepsText);
    one = keepsText
        ? Server.client(uri)
        : OddPool.directClient(namespace, (usual, sql) -> {
          packets.add(sql);
          return usual;
        });
    two = Server.client(uri);
    Server.awaitListening(two);
  }

  @AfterEach
  void close() {
    if (one != null) {
      one.close();
      two.close();
    }
  }

  @Test
  void p1_itTakesOnePacketOnceThatIsWhatReleasesOfTheLockFind() throws InterruptedException {
    long token = 0;
    for (int round = 0; round < 3; round++) {
      HoldId holder = one.id();
      HoldId waiter = two.id();
      Grant first = (Grant) one.attempt("a", holder, NONE);
      assertThat(two.attempt("a", waiter, LONG)).isInstanceOf(Queued.class);
      packets.clear();
      assertThat(one.release("a", holder)).isEqualTo(ReleaseResult.released());
      if (round > 0 && !keepsText) {
        assertThat(packets).singleElement().asString().contains("COMMIT", "KILL QUERY");
      }
      Grant second = two.granted("a", waiter, LONG);
      assertThat(second).isNotNull();
      assertThat(first.fencingToken()).isGreaterThan(token);
      assertThat(second.fencingToken()).isGreaterThan(first.fencingToken());
      token = second.fencingToken();
      assertThat(two.release("a", waiter)).isEqualTo(ReleaseResult.released());
      assertThat(one.backend.inspect("a")).isEmpty();
      assertThat(row("entries")).isEqualTo("0");
    }
  }

  @Test
  void f1_itWritesWhatATransactionWrites() throws Exception {
    HoldId holder = one.id();
    HoldId waiter = two.id();
    one.attempt("a", holder, NONE);
    String owner = "J\u00f6rg \0 'x\\";
    Attempt asks = Attempt.of("a", waiter, owner, LONG)
        .withSharedOwner(true)
        .withFair(true)
        .withPatience(LONG)
        .withTokens(7);
    assertThat(two.backend.attempt(asks)).isInstanceOf(Queued.class);
    assertThat(isHandedOver(holder)).isTrue();
    String ticket = entry(waiter, "ticket");
    assertThat(row("client, hold, HEX(owner), shared, host, tokens, last_token - token, claimant,"
            + " ticket, last_heir, next_ticket, entries, until_us - since_us <= "
            + Protocol.CLAIM_US))
        .isEqualTo(waiter.high() + "\t" + waiter.low() + "\t"
            + HexFormat.of().withUpperCase().formatHex(owner.getBytes(UTF_8))
            + "\t1\ttest:1\t7\t6\t" + waiter.high() + "\t" + ticket + "\t0\t"
            + (Long.parseLong(ticket) + 1) + "\t1\t1");
  }

  /** Then nothing is done in that packet, and a transaction decides. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "asleep = 1",
        "until_us = 1",
        "capacity = 2",
        "listens = 0",
      })
  void f4_aFirstWaiterThatIsNotAsUsualIsLeftToATransaction(String state) throws Exception {
    HoldId holder = one.id();
    HoldId waiter = two.id();
    one.attempt("a", holder, NONE);
    two.attempt("a", waiter, LONG);
    Server.shared().execute("UPDATE interlock_entry SET " + state + " WHERE " + is(waiter));
    assertThat(isHandedOver(holder)).isFalse();
    assertThat(row("hold")).isEqualTo(Long.toString(holder.low()));
    assertThat(row("until_us > 0")).isEqualTo("1");
    assertThat(one.release("a", holder)).isEqualTo(ReleaseResult.released());
  }

  @Test
  void f1_aRunOfTheOtherClientIsLeftToATransactionWhichNamesItsHeirs() throws Exception {
    HoldId holder = one.id();
    HoldId waiter = two.id();
    HoldId heir = two.id();
    one.attempt("a", holder, NONE);
    two.attempt("a", waiter, LONG);
    two.attempt("a", heir, LONG);
    assertThat(isHandedOver(holder)).isFalse();
    assertThat(one.release("a", holder)).isEqualTo(ReleaseResult.released());
    Grant grant = two.granted("a", waiter, LONG);
    assertThat(grant).isNotNull();
    assertThat(grant.heirs()).containsExactly(heir);
  }

  @Undisturbed(millis = 300)
  void f1_thoseOfOthersBehindItStayInTheirOrder() throws Exception {
    try (TestClient three = Server.client(uri)) {
      HoldId holder = one.id();
      HoldId first = two.id();
      HoldId second = three.id();
      one.attempt("a", holder, NONE);
      two.attempt("a", first, LONG);
      three.attempt("a", second, LONG);
      assertThat(isHandedOver(holder)).isTrue();
      assertThat(row("hold, entries")).isEqualTo(first.low() + "\t2");
      assertThat(two.attempt("a", first, LONG)).isInstanceOf(Grant.class);
      assertThat(two.release("a", first)).isEqualTo(ReleaseResult.released());
      assertThat(row("hold, entries")).isEqualTo(second.low() + "\t1");
      assertThat(three.granted("a", second, LONG)).isNotNull();
    }
  }

  @Test
  void f1_aWaiterOfItsOwnClientIsLeftToATransaction() throws Exception {
    HoldId holder = one.id();
    one.attempt("a", holder, NONE);
    one.attempt("a", one.id(), LONG);
    two.attempt("a", two.id(), LONG);
    assertThat(isHandedOver(holder)).isFalse();
    assertThat(row("hold")).isEqualTo(Long.toString(holder.low()));
  }

  /** The lock is passed to a further hold of the same owner before it is granted to a waiter. */
  @Test
  void s1_aFurtherHoldOfItsOwnerIsLeftToATransaction() throws Exception {
    HoldId holder = one.id();
    HoldId share = two.id();
    one.attemptAs("saga", "a", holder, NONE);
    two.attemptAs("saga", "a", share, NONE);
    one.attempt("a", one.id(), LONG); // of another client than the share, and so not its heir
    assertThat(isHandedOver(holder)).isFalse();
    assertThat(one.release("a", holder)).isEqualTo(ReleaseResult.released());
    assertThat(row("hold")).isEqualTo(Long.toString(share.low()));
  }

  @Test
  void o2_whoDoesNotHoldTheLockAnyMoreGrantsItToNobody() throws Exception {
    HoldId holder = one.id();
    HoldId waiter = two.id();
    one.attempt("a", holder, NONE);
    two.attempt("a", waiter, LONG);
    assertThat(isHandedOver(new HoldId(holder.high(), holder.low() + 1000))).isFalse();
    assertThat(isHandedOver(new HoldId(holder.high() + 1, holder.low()))).isFalse();
    assertThat(row("hold")).isEqualTo(Long.toString(holder.low()));
    Server.shared().execute("UPDATE interlock_lock SET until_us = 1 WHERE " + is(holder));
    assertThat(isHandedOver(holder)).isFalse();
    assertThat(row("hold")).isEqualTo(Long.toString(holder.low()));
    assertThat(one.release("a", holder)).isEqualTo(ReleaseResult.notHeld());
  }

  @Test
  void e2_aReplyThatIsLostIsRepeatedWithoutEffectOnTheNextHolder() throws IOException {
    try (ReplyEater eater =
            new ReplyEater(Server.shared().host(), Server.shared().port());
        TestClient client = Server.client(
            uri.replace(":" + Server.shared().port() + "/", ":" + eater.port() + "/"))) {
      HoldId holder = client.id();
      HoldId waiter = two.id();
      client.attempt("a", holder, NONE);
      two.attempt("a", waiter, LONG);
      client.release("a", holder); // from here on it expects waiters
      assertThat(two.attempt("a", waiter, LONG)).isInstanceOf(Grant.class);
      two.release("a", waiter);

      HoldId next = client.id();
      HoldId after = two.id();
      client.attempt("a", next, NONE);
      two.attempt("a", after, LONG);
      eater.eatTheNextReply();
      assertThatThrownBy(() -> client.release("a", next))
          .isInstanceOf(OutcomeUnknownException.class);
      Awaitility.await()
          .ignoreExceptions()
          .untilAsserted(
              () -> assertThat(client.release("a", next)).isEqualTo(ReleaseResult.notHeld()));
      assertThat(two.attempt("a", after, LONG)).isInstanceOf(Grant.class);
      assertThat(two.release("a", after)).isEqualTo(ReleaseResult.released());
    }
  }

  /** The wake-up is then an error, behind a commit. */
  @Test
  void o1_aReleaseThatExpectsAWaiterAndFindsNoneIsARelease() throws InterruptedException {
    passToAndFro(1);
    for (int i = 0; i < 6; i++) {
      HoldId again = one.id();
      assertThat(one.attempt("a", again, NONE)).isInstanceOf(Grant.class);
      assertThat(one.release("a", again)).isEqualTo(ReleaseResult.released());
      assertThat(one.release("a", again)).isEqualTo(ReleaseResult.notHeld());
      assertThat(one.backend.inspect("a")).isEmpty();
    }
    if (!keepsText) {
      assertThat(packets.get(packets.size() - 1)).doesNotContain("KILL QUERY");
    }
  }

  @Test
  void t1_tokensGrowThroughEveryKindOfRelease() throws InterruptedException {
    long last = 0;
    for (int round = 0; round < 20; round++) {
      HoldId holder = one.id();
      AttemptResult taken = one.attempt("a", holder, NONE);
      assertThat(taken).isInstanceOf(Grant.class);
      assertThat(((Grant) taken).fencingToken()).isGreaterThan(last);
      last = ((Grant) taken).fencingToken();
      // As if the server's clock had stood still since: the next token is one more.
      last += Micros.of(Duration.ofMinutes(1));
      Server.shared()
          .execute("UPDATE interlock_lock SET last_token = " + last + " WHERE " + is(holder));
      if (round % 3 > 0) {
        HoldId waiter = two.id();
        two.attempt("a", waiter, LONG);
        one.release("a", holder);
        Grant next = two.granted("a", waiter, LONG);
        assertThat(next).isNotNull();
        assertThat(next.fencingToken()).isGreaterThan(last);
        last = next.fencingToken();
        two.release("a", waiter);
      } else {
        one.release("a", holder);
      }
    }
  }

  @Test
  void p1_aSessionOfItsOwnIsSentTheTextOnce() throws InterruptedException {
    assumeTrue(keepsText);
    long executed = statements("EXECUTE");
    long prepared = statements("PREPARE");
    passToAndFro(6);
    assertThat(statements("EXECUTE") - executed).isGreaterThanOrEqualTo(5);
    assertThat(statements("PREPARE") - prepared).isLessThanOrEqualTo(2);
  }

  @Test
  void o1_aServerThatKeepsNoMoreStatementsIsSentTheTextEachTime() throws InterruptedException {
    assumeTrue(keepsText);
    String most =
        Server.shared().execute("SELECT @@GLOBAL.max_prepared_stmt_count").strip();
    Server.shared().execute("SET GLOBAL max_prepared_stmt_count = 0");
    try {
      passToAndFro(3);
    } finally {
      Server.shared().execute("SET GLOBAL max_prepared_stmt_count = " + most);
    }
  }

  private void passToAndFro(int rounds) throws InterruptedException {
    for (int round = 0; round < rounds; round++) {
      HoldId holder = one.id();
      HoldId waiter = two.id();
      assertThat(one.attempt("a", holder, NONE)).isInstanceOf(Grant.class);
      assertThat(two.attempt("a", waiter, LONG)).isInstanceOf(Queued.class);
      assertThat(one.release("a", holder)).isEqualTo(ReleaseResult.released());
      assertThat(two.granted("a", waiter, LONG)).isNotNull();
      assertThat(two.release("a", waiter)).isEqualTo(ReleaseResult.released());
    }
  }

  private static long statements(String kind) {
    return Long.parseLong(Server.shared()
        .execute("SELECT variable_value FROM information_schema.global_status"
            + " WHERE variable_name = 'COM_" + kind + "_SQL'")
        .strip());
  }

  /** Sends the packet alone. Answers whether it did anything. */
  private boolean isHandedOver(HoldId id) {
    LockConfig config = LockConfig.parse(uri);
    Connections pools =
        MysqlDriver.pool(new Opener(MysqlDriver.servers(config)), config, "hands-over");
    try {
      Database<LockSession> database = Mappers.database(
          pools, Mappers.create("interlock_", false, IS_MARIADB), config.get(MysqlOptions.TIMEOUT));
      return new HandOver(database, new Waker(true), keepsText)
          .run("a", LockKey.of(namespace, "a"), id, keepsText)
          .done;
    } finally {
      pools.close();
    }
  }

  private String row(String columns) {
    return Server.shared()
        .execute(
            "SELECT " + columns + " FROM interlock_lock WHERE lock_key = '" + namespace + ":a'");
  }

  private static String entry(HoldId id, String columns) {
    return Server.shared().execute("SELECT " + columns + " FROM interlock_entry WHERE " + is(id));
  }

  private static String is(HoldId id) {
    return "client = " + id.high() + " AND hold = " + id.low();
  }
}
