package dev.interlock.postgres;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.LockConfig;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.BackendContext;
import dev.interlock.spi.BackendEvents;
import dev.interlock.spi.ClientId;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.Renewal;
import dev.interlock.testservers.PostgresServer;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What a waiter takes from a message, and when it looks at the server. The messages are made up, so
 * whoever looks finds that it has nothing.
 */
@Timeout(60)
class ToldGrantTest {
  private static final Duration LEASE = Duration.ofMinutes(2);

  /** Longer than servers give, so that a busy machine makes no message late. */
  private static final Duration CLAIM = Duration.ofMinutes(1);

  private static final long CLAIM_US = 60_000_000;

  private record Heard(Grant grant, long notBefore) {}

  private final PostgresServer server = Server.shared();
  private final String namespace = Server.freshNamespace();
  private final String holders = Server.freshClientId();
  private final String client = Server.freshClientId();
  private final LockBackend holder = open(holders);
  private final LockBackend backend = open(client);
  private final HoldId held = id(holders, 1);
  private final HoldId waiter = id(client, 2);
  private final HoldId sentinel = id(client, 3);
  private final BlockingQueue<Heard> heard = new LinkedBlockingQueue<>();
  private long heldToken;

  @BeforeEach
  void hold() throws Exception {
    backend.subscribe(new BackendEvents() {
      @Override
      public void granted(Grant grant, long notBeforeNanos) {
        heard.add(new Heard(grant, notBeforeNanos));
      }

      @Override
      public void wake(String name, HoldId id) {}

      @Override
      public void revoked(String name, HoldId id) {}

      @Override
      public void inDoubt() {}
    });
    Grant grant = (Grant) holder.attempt(Attempt.of("a", held, "owner", LEASE));
    heldToken = grant.fencingToken();
    // Until it listens, nothing can be told to it.
    HoldId first = id(client, 9);
    queue(first, LEASE);
    do {
      tell(first, heldToken + 1, CLAIM_US, "");
    } while (heard.poll(100, MILLISECONDS) == null);
  }

  @AfterEach
  void close() {
    holder.close();
    backend.close();
  }

  @Test
  void l1_aGrantCountsFromBeforeTheLastLookThatDidNotFindIt() throws Exception {
    long before = System.nanoTime();
    queue(waiter, LEASE);
    long after = System.nanoTime();
    tell(waiter, heldToken + 1, CLAIM_US, " 7");
    Heard first = heard.poll(20, SECONDS);
    assertThat(first).isNotNull();
    assertThat(first.notBefore - before).isNotNegative();
    assertThat(first.notBefore - after).isNegative();
    assertThat(first.grant.lease()).isEqualTo(CLAIM);
    assertThat(first.grant.fencingToken()).isEqualTo(heldToken + 1);
    assertThat(first.grant.heirs()).containsExactly(id(client, 7));
  }

  @Test
  void l1_aLaterLookThatFindsTheWaiterWaitingCountsInstead() throws Exception {
    queue(waiter, LEASE);
    long before = System.nanoTime();
    backend.renew(
        List.of(Renewal.of("a", waiter, LEASE, true)),
        (renewal, result) -> assertThat(result.toString()).contains("Queued"));
    tell(waiter, heldToken + 1, CLAIM_US, "");
    Heard first = heard.poll(20, SECONDS);
    assertThat(first).isNotNull();
    assertThat(first.notBefore - before).isNotNegative();
  }

  @Test
  void x1_aGrantOfBeforeTheLastLookIsNotTaken() throws Exception {
    queue(waiter, LEASE);
    tell(waiter, heldToken, CLAIM_US, "");
    assertLooksFor(waiter);
  }

  @Test
  void x1_aGrantOfBeforeALaterLookIsNotTaken() throws Exception {
    queue(waiter, LEASE);
    server.execute("UPDATE interlock_lock SET last_token = last_token + 5 WHERE lock_key = '"
        + namespace + ":a'");
    backend.renew(List.of(Renewal.of("a", waiter, LEASE, true)), (renewal, result) -> {});
    tell(waiter, heldToken + 5, CLAIM_US, "");
    assertLooksFor(waiter);
  }

  @Test
  void l1_aGrantOfWhichAGoodPartMayBeOverIsNotTaken() throws Exception {
    queue(waiter, LEASE);
    MILLISECONDS.sleep(20);
    tell(waiter, heldToken + 1, 30_000, "");
    assertLooksFor(waiter);
  }

  @Test
  void l4_aLeaseThatIsGrantedInFullBeginsNow() throws Exception {
    queue(waiter, CLAIM);
    tell(waiter, heldToken + 1, CLAIM_US, "");
    assertLooksFor(waiter);
  }

  @Test
  void m2_aGrantThatWasTakenAwayByForceIsNotTakenAfterwards() throws Exception {
    queue(waiter, LEASE);
    notify("r" + waiter + key());
    tell(waiter, heldToken + 1, CLAIM_US, "");
    assertLooksFor(waiter);
  }

  @Test
  void x1_aWaiterThatGaveUpIsGrantedNothing() throws Exception {
    queue(waiter, LEASE);
    backend.abandon("a", waiter);
    tell(waiter, heldToken + 1, CLAIM_US, "");
    assertLooksFor(waiter);
  }

  /** Messages are heard in their order, so whoever took the first has done so before the second. */
  private void assertLooksFor(HoldId looking) throws Exception {
    queue(sentinel, LEASE);
    tell(sentinel, heldToken + 100, CLAIM_US, "");
    Heard first = heard.poll(20, SECONDS);
    assertThat(first).isNotNull();
    assertThat(first.grant.id()).isEqualTo(sentinel).isNotEqualTo(looking);
  }

  private void queue(HoldId id, Duration lease) {
    assertThat(
            backend.attempt(Attempt.of("a", id, "owner", lease).withFair(true).withPatience(LEASE)))
        .isInstanceOf(AttemptResult.Queued.class);
  }

  private void tell(HoldId id, long token, long us, String heirs) {
    notify("g" + id + key() + " " + token + " 2 " + us + heirs);
  }

  private void notify(String message) {
    server.execute("SELECT PG_NOTIFY('interlock_" + client + "', '" + message + "')");
  }

  private String key() {
    return HexFormat.of().formatHex((namespace + ":a").getBytes(UTF_8));
  }

  private static HoldId id(String client, long low) {
    return new HoldId(HexFormat.fromHexDigitsToLong(client), low);
  }

  private LockBackend open(String id) {
    return new PostgresProvider()
        .open(
            LockConfig.parse(server.uri() + "?schema=create&namespace=" + namespace),
            BackendContext.of(new ClientId(id, "test:1")));
  }
}
