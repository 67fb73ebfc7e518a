package dev.interlock.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import dev.interlock.spi.RenewalResult;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/** Two clients that ask for parts of one lock, without the engine. */
@Timeout(120)
public abstract class CountedHoldsRig {
  static final Duration PATIENCE = Duration.ofSeconds(30);
  protected static final int ALL = Integer.MAX_VALUE;

  protected TestClient one;
  protected TestClient two;

  protected String uri;

  /** For subclasses. */
  CountedHoldsRig() {}

  /** Where the locks are, in a namespace of the test. */
  protected abstract String uri();

  /** A client of these locks. */
  protected abstract TestClient client(String uri);

  /** Whether others can tell a client of what they grant to it. */
  protected abstract boolean isListening(TestClient client);

  /** How many of these stand in the queue and are passed over. */
  protected abstract int asleep(HoldId... ids);

  @BeforeEach
  void open() throws InterruptedException {
    uri = uri();
    one = listening();
    two = listening();
  }

  /** A client that is told of what others grant to it from now on. */
  TestClient listening() throws InterruptedException {
    TestClient client = client(uri);
    HoldId held = client.id();
    HoldId waiter = client.id();
    client.attempt("z", held, Duration.ZERO);
    client.attempt("z", waiter, PATIENCE);
    await(() -> isListening(client));
    client.backend.abandon("z", waiter);
    client.release("z", held);
    return client;
  }

  static void await(BooleanSupplier condition) throws InterruptedException {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    boolean met = condition.getAsBoolean();
    while (!met && System.nanoTime() - deadline < 0) {
      Thread.sleep(50);
      met = condition.getAsBoolean();
    }
    assertThat(met).isTrue();
  }

  @AfterEach
  void close() {
    one.close();
    two.close();
  }

  static Attempt part(HoldId id, int units, int capacity) {
    return Attempt.of("a", id, "owner", TestClient.LEASE).withFair(true).withUnits(units, capacity);
  }

  static AttemptResult ask(TestClient client, HoldId id, int units, int capacity) {
    return client.backend.attempt(part(id, units, capacity).withPatience(PATIENCE));
  }

  protected static HoldId held(TestClient client, int units, int capacity) {
    HoldId id = client.id();
    assertThat(ask(client, id, units, capacity)).isInstanceOf(Grant.class);
    return id;
  }

  protected static HoldId waiting(TestClient client, int units, int capacity) {
    HoldId id = client.id();
    assertThat(ask(client, id, units, capacity)).isInstanceOf(AttemptResult.Queued.class);
    return id;
  }

  static long token(Object granted) {
    assertThat(granted).isInstanceOf(Grant.class);
    return ((Grant) granted).fencingToken();
  }

  protected static RenewalResult renew(TestClient client, Renewal renewal) {
    return RenewalAnswers.collect(client.backend, List.of(renewal)).get(0);
  }

  protected static Renewal renewal(HoldId id) {
    return Renewal.of("a", id, TestClient.LEASE, false);
  }

  protected static RenewalResult look(TestClient client, HoldId waiter) {
    return renew(client, Renewal.of("a", waiter, TestClient.LEASE, true));
  }

  protected static HoldId granted(TestClient client) throws InterruptedException {
    Grant grant = client.grants.poll(10, TimeUnit.SECONDS);
    assertThat(grant).isNotNull();
    return grant.id();
  }

  /** Who of the same client has the lock by a release: it tells so, or the server does. */
  static HoldId releasedTo(TestClient client, HoldId id) throws InterruptedException {
    Grant grant = client.release("a", id).granted();
    return grant == null ? granted(client) : grant.id();
  }
}
