package dev.interlock.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.quorum.HarmedMembers.Harm;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Three JVMs fight for three locks while a minority of the members fails, another one each time.
 *
 * <p>No two holds overlap, tokens grow, calls end in time, and each lock goes on being granted in
 * every round. {@code -Dinterlock.test.quorum.rounds=1000} makes it long, and
 * {@code -Dinterlock.test.seed} repeats a run's choices.
 */
@Tag("thorough")
class QuorumChaosTest {
  private static final int CONTENDERS = 3;
  private static final List<Harm> HARMS = List.of(Harm.values());
  private static final List<String> NAMES = List.of("a", "b", "c");

  /** Also for how long a member that lost its state does not vote, so a round is short. */
  private static final Duration LEASE = Duration.ofSeconds(2);

  private static final int GRANTS = 3;
  /** Several times the longest that it took on a machine with far more to do than it can. */
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final int rounds = Integer.getInteger("interlock.test.quorum.rounds", 6);
  private final long seed =
      Long.getLong("interlock.test.seed", ThreadLocalRandom.current().nextLong());
  private final SplittableRandom random = new SplittableRandom(seed);
  private final Contest contest = new Contest();

  /** Members that may not vote yet, as they lost their state. */
  private final Set<Integer> forgetful = new TreeSet<>();

  @ParameterizedTest(name = "{0} members of {1}")
  @CsvSource({"3, redis-setnx", "5, redis-hash"})
  @DisplayName("while any minority fails, locks are granted and never held twice")
  void survives(int members, String provider) throws Exception {
    System.out.printf(
        "QuorumChaosTest: %d members, %d rounds, -Dinterlock.test.seed=%d%n",
        members, rounds, seed);
    String options = "&lease=%s&longestLease=%s".formatted(LEASE, LEASE);
    List<Contender> contenders = new ArrayList<>();
    try (HarmedMembers harmed = new HarmedMembers(provider, members, CONTENDERS, options)) {
      try {
        for (int i = 0; i < CONTENDERS; i++) {
          contenders.add(
              Contender.start(harmed.uri(i), "jvm" + i, NAMES, LEASE, random.nextLong(), contest));
        }
        Map<Integer, Harm> before = Map.of();
        for (int round = 1; round <= rounds; round++) {
          before = round(harmed, round, before);
          if (round % 50 == 0) {
            System.out.printf("QuorumChaosTest: %d rounds, %s%n", round, contest.summary());
          }
        }
        for (Contender contender : contenders) {
          assertThat(contender.stop(Contest.BOUND.plus(LEASE.multipliedBy(4)))).isNull();
        }
        assertThat(contest.judge()).as("at the end, seed %d", seed).isEmpty();
      } finally {
        contenders.forEach(Contender::close);
      }
    }
    System.out.println("QuorumChaosTest: " + contest.summary());
  }

  /** Heals what was harmed before, and harms others, or the same once more. */
  private Map<Integer, Harm> round(HarmedMembers harmed, int round, Map<Integer, Harm> before)
      throws InterruptedException {
    boolean again = !before.isEmpty() && random.nextInt(4) == 0;
    Map<Integer, Harm> harms =
        again ? harmsTo(before.keySet()) : harms(harmed.count(), before.keySet());
    String what = "round " + round + ", " + harms + " after " + before;
    // Clocks may differ by as much as a member that lost its state does not vote.
    List<Integer> sound = new ArrayList<>(all(harmed.count()));
    sound.removeAll(before.keySet());
    for (String name : NAMES) {
      int ahead = sound.get(random.nextInt(sound.size()));
      harmed.advance(ahead, name, LEASE.dividedBy(2 + random.nextInt(3)));
    }
    before.keySet().forEach(harmed::heal);
    if (!again) {
      awaitVotes(harmed, what);
    }
    for (Map.Entry<Integer, Harm> harm : harms.entrySet()) {
      harmed.harm(harm.getKey(), harm.getValue());
      if (harm.getValue().forgets()) {
        forgetful.add(harm.getKey());
      }
      Thread.sleep(random.nextInt(100));
    }
    long begun = System.nanoTime();
    Thread.sleep(random.nextInt(1_500));
    await(
        "all locks are granted in " + what,
        () -> NAMES.stream().allMatch(name -> contest.begunSince(name, begun) >= GRANTS));
    assertThat(contest.judge()).as("%s, seed %d", what, seed).isEmpty();
    return harms;
  }

  /**
   * Members that have forgotten count as failed until they may vote. One that has not is as good as
   * any at once, and may be the only one beside the next to fail that knows of a hold, or that does
   * not.
   */
  private void awaitVotes(HarmedMembers harmed, String what) throws InterruptedException {
    for (int member : forgetful) {
      await("member " + member + " votes before " + what, () -> harmed.isTrusted(member));
    }
    forgetful.clear();
  }

  private static List<Integer> all(int members) {
    return IntStream.range(0, members).boxed().toList();
  }

  private Map<Integer, Harm> harms(int members, Collection<Integer> before) {
    List<Integer> all = new ArrayList<>(all(members));
    int most = (members - 1) / 2;
    // Often those that alone know of a hold: the ones that failed before missed it.
    boolean emptied = forgetful.isEmpty() && random.nextBoolean();
    if (emptied) {
      all.removeAll(before);
    }
    List<Integer> some = new ArrayList<>();
    for (int count = 1 + random.nextInt(most); count > 0; count--) {
      some.add(all.remove(random.nextInt(all.size())));
    }
    Map<Integer, Harm> harms = harmsTo(some);
    if (emptied) {
      harms.replaceAll((member, harm) -> Harm.EMPTIED);
    }
    return harms;
  }

  private Map<Integer, Harm> harmsTo(Iterable<Integer> members) {
    Map<Integer, Harm> harms = new TreeMap<>();
    for (int member : members) {
      harms.put(member, HARMS.get(random.nextInt(HARMS.size())));
    }
    return harms;
  }

  private void await(String what, BooleanSupplier condition) throws InterruptedException {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - deadline)
          .as("%s, seed %d, %s", what, seed, contest.judge())
          .isNegative();
      Thread.sleep(100);
    }
  }
}
