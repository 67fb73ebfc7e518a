package dev.interlock.redis.hash.internal.backend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.HoldInfo;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HandOffBackend;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.Release;
import dev.interlock.spi.ReleaseResult;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import dev.interlock.spi.WaiterInfo;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Commands of two clients in any order, against a list of holds and a list of waiters. After each
 * step both say who holds the lock, who waits, and whom it was handed to. Nobody is silent, and
 * nothing runs out.
 */
@Timeout(300)
class QueueModelTest extends TwoClients {
  private static final int STEPS = Integer.getInteger("interlock.test.model.steps", 400);
  private static final int IN_FRONT = 48;
  private static final int READERS = Integer.MAX_VALUE;

  /** What stands between the parts of an entry, and what may be taken for one. */
  private static final List<String> NAMES =
      List.of("", " 1 1 01 ", "\0", "\1z\n", "é", "9".repeat(1_000));

  private Random random;
  private List<TestClient> clients;
  private int capacity;
  private final Map<HoldId, Attempt> held = new LinkedHashMap<>();
  private final Map<HoldId, Grant> grants = new LinkedHashMap<>();
  private final List<Attempt> queue = new ArrayList<>();
  private boolean overflown;
  private long lastToken;

  /** The last two bits say what there is to have, and how many want it. */
  static LongStream seeds() {
    return LongStream.range(0, 4).map(kind -> (new Random().nextLong() & ~3) | kind);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void C1_F1_allHappensAsInTwoLists(long seed) throws InterruptedException {
    try {
      happen(seed);
    } catch (AssertionError e) {
      throw new AssertionError("with seed " + seed, e);
    }
  }

  private void happen(long seed) throws InterruptedException {
    random = new Random(seed);
    clients = List.of(one, two);
    capacity = (seed & 1) == 0 ? 1 : 4;
    int crowd = (seed & 2) == 0 ? 5 : IN_FRONT + 12;
    boolean grows = true;
    for (int step = 0; step < STEPS; step++) {
      long start = System.nanoTime();
      grows = queue.size() <= (grows ? crowd : crowd / 8);
      int what = random.nextInt(20);
      if (what < (grows ? 16 : 1)) {
        attempt(random.nextInt(5) == 0 && !queue.isEmpty() ? any(queue) : attemptOf(anyClient()));
      } else if (what < 17 && !held.isEmpty()) {
        release(any(List.copyOf(held.keySet())));
      } else if (what < 18 && !queue.isEmpty()) {
        abandon(any(queue).id());
      } else if (what < 19 && !held.isEmpty()) {
        force(any(List.copyOf(held.keySet())));
      } else {
        renew(anyClient());
      }
      if (TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start) > 1_000) {
        return; // a grant may have run out before its client could confirm it
      }
      compare();
    }
  }

  private <T> T any(List<T> list) {
    return list.get(random.nextInt(list.size()));
  }

  private TestClient anyClient() {
    return any(clients);
  }

  private TestClient clientOf(HoldId id) {
    return id.toString().startsWith(one.clientId) ? one : two;
  }

  private Attempt attemptOf(TestClient client) {
    HoldId id = client.id();
    Attempt attempt = Attempt.of("n", id, any(NAMES) + id, TestClient.LEASE);
    attempt = random.nextInt(4) == 0 ? attempt : attempt.withPatience(TestClient.PATIENT);
    return switch (capacity == 1 ? 0 : random.nextInt(6)) {
      case 0 -> attempt.withFair(random.nextInt(4) > 0);
      case 1, 2 -> attempt.withFair(true).withUnits(1, READERS);
      case 3 -> attempt.withFair(true).withUnits(1, 3);
      default -> attempt.withFair(true).withUnits(1 + random.nextInt(4), 4);
    };
  }

  private boolean fits(Attempt attempt) {
    long units = attempt.units();
    int smallest = attempt.capacity();
    for (Attempt hold : held.values()) {
      units += hold.units();
      smallest = Math.min(smallest, hold.capacity());
    }
    return units <= smallest;
  }

  private void attempt(Attempt attempt) {
    boolean enters =
        held.isEmpty() ? !attempt.fair() || queue.isEmpty() : queue.isEmpty() && fits(attempt);
    enters |= !held.isEmpty() && !attempt.fair() && fits(attempt);
    AttemptResult result = clientOf(attempt.id()).backend.attempt(attempt);
    if (enters) {
      queue.remove(attempt);
      assertThat(result).isInstanceOf(Grant.class);
      enter(attempt, (Grant) result);
    } else {
      assertThat(result).isNotInstanceOf(Grant.class);
      if (attempt.waits() && !queue.contains(attempt)) {
        queue.add(attempt);
      }
    }
  }

  private void enter(Attempt attempt, Grant grant) {
    assertThat(grant.id()).isEqualTo(attempt.id());
    assertThat(grant.fencingToken()).isGreaterThan(lastToken);
    lastToken = grant.fencingToken() + grant.tokens() - 1;
    held.put(attempt.id(), attempt);
    grants.put(attempt.id(), grant);
  }

  private void release(HoldId id) throws InterruptedException {
    List<HoldId> heirs = grants.get(id).heirs();
    List<HoldId> passed = new ArrayList<>(heirs.subList(0, random.nextInt(heirs.size() + 1)));
    ReleaseResult result =
        HandOffBackend.release(clientOf(id).backend, Release.of("n", id).withPassed(passed));
    assertThat(result.held()).isTrue();
    leave(id);
    queue.removeIf(waiter -> passed.contains(waiter.id()));
    // One that was granted what others gave back meanwhile is no longer passed on, but may be held.
    passed.forEach(this::leave);
    serve(clientOf(id), result.granted());
  }

  private void leave(HoldId id) {
    held.remove(id);
    grants.remove(id);
  }

  private void abandon(HoldId id) throws InterruptedException {
    clientOf(id).backend.abandon("n", id);
    queue.removeIf(waiter -> waiter.id().equals(id));
    serve(null, null);
  }

  private void force(HoldId id) throws InterruptedException {
    long token = grants.get(id).fencingToken();
    assertThat(anyClient().backend.forceRelease("n", token)).isTrue();
    leave(id);
    serve(null, null);
  }

  /**
   * Those in front get what is free: the first of a client by its answer, all others by messages.
   */
  private void serve(@Nullable TestClient asking, @Nullable Grant answer)
      throws InterruptedException {
    TestClient told = asking;
    while (!queue.isEmpty() && fits(queue.get(0))) {
      Attempt first = queue.remove(0);
      TestClient client = clientOf(first.id());
      boolean answered = client == told;
      Grant grant = answered ? answer : client.grant().grant();
      told = answered ? null : told;
      assertThat(grant).as("grant to %s", first.id()).isNotNull();
      List<HoldId> expected = heirsOf(first);
      // Those behind the front are no heirs, so there may be fewer of them.
      int heirs = overflown ? Math.min(grant.heirs().size(), expected.size()) : expected.size();
      assertThat(grant.heirs()).isEqualTo(expected.subList(0, heirs));
      enter(first, grant);
      if (!answered) {
        assertThat(client.renew("n", first.id())).as("confirmed").isInstanceOf(Grant.class);
      }
    }
    assertThat(told == null ? null : answer).as("nobody fits").isNull();
  }

  private List<HoldId> heirsOf(Attempt first) {
    List<HoldId> heirs = new ArrayList<>();
    held.put(first.id(), first);
    for (Attempt waiter : queue) {
      boolean alike = waiter.units() == first.units() && waiter.capacity() == first.capacity();
      if (fits(waiter) || !alike || clientOf(waiter.id()) != clientOf(first.id())) {
        break;
      }
      heirs.add(waiter.id());
    }
    held.remove(first.id());
    return heirs;
  }

  private void renew(TestClient client) {
    List<Renewal> batch = Stream.concat(queue.stream(), held.values().stream())
        .map(Attempt::id)
        .filter(id -> clientOf(id) == client)
        .map(id -> Renewal.of("n", id, TestClient.LEASE, !held.containsKey(id)))
        .toList();
    if (!batch.isEmpty()) {
      assertThat(
              RenewalAnswers.collect(client.backend, batch).stream().map(Grant.class::isInstance))
          .containsExactlyElementsOf(
              batch.stream().map(renewal -> held.containsKey(renewal.id())).toList());
    }
  }

  private void compare() {
    overflown = queue.size() > IN_FRONT || (overflown && !queue.isEmpty());
    List<HoldInfo> holds = one.backend.inspect("n").stream()
        .flatMap(info -> Stream.concat(Stream.of(info), info.others().stream()))
        .toList();
    assertThat(holds.stream().map(HoldInfo::owner))
        .containsExactlyElementsOf(owners(held.values()));
    assertThat(holds.stream().map(HoldInfo::fencingToken))
        .containsExactlyElementsOf(
            grants.values().stream().map(Grant::fencingToken).toList());
    assertThat(holds).allMatch(info -> info.waiters() == queue.size());
    List<WaiterInfo> waiters = two.backend.waiters("n", 100).orElseThrow();
    assertThat(waiters.stream().map(WaiterInfo::owner)).containsExactlyElementsOf(owners(queue));
    assertThat(waiters.stream().map(WaiterInfo::units))
        .containsExactlyElementsOf(queue.stream().map(Attempt::units).toList());
    assertThat(Stream.of(one, two).allMatch(client -> client.grants.isEmpty())).isTrue();
  }

  private static List<String> owners(Collection<Attempt> attempts) {
    return attempts.stream().map(Attempt::owner).toList();
  }
}
