package dev.interlock.tck.internal.rules;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.tck.internal.run.Neighbours;
import dev.interlock.tck.internal.run.Rule;
import dev.interlock.tck.internal.run.RuleRun;
import dev.interlock.tck.internal.run.RuleViolation;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** Rule F2 between two clients that take turns for long. */
public final class TurnTakingRules {
  /**
   * Who stands in the queue waits for one turn, that of the holder. Others come before it while it
   * is on its way there: a few at times, on a machine that is busy.
   */
  private static final int OFTEN = 4;

  /** How many turns of a client are looked at together, and how many of them may be such. */
  private static final int WINDOW = 32;

  private static final int TOLERATED = WINDOW * 3 / 4;

  /** With most of so many last turns it may be about to become a violation. */
  private static final int LATEST = 4;

  /**
   * So many turns are waited for, as far as there is time: a slow machine must not hide a fault.
   */
  private static final int HUNDREDS = 300;

  private static final int PAIRS = 15;

  private TurnTakingRules() {}

  /** One of two clients. Its turns are those of one thread; the other one counts them. */
  private static final class Player {
    private final String who;
    private final LockClient client;
    private final AtomicInteger turns = new AtomicInteger();
    private final Deque<Integer> lastPasses = new ArrayDeque<>();
    private int often;
    private volatile boolean suspect;

    Player(String who, LockClient client) {
      this.who = who;
      this.client = client;
    }

    /** Notes a turn, and how many of the other one's came before it since it was asked for. */
    void hadTurn(int passes) {
      lastPasses.addLast(passes);
      if (lastPasses.size() > WINDOW) {
        lastPasses.removeFirst();
      }
      often += passes > OFTEN ? 1 : 0;
      suspect = oftenInLast(LATEST) > LATEST / 2;
      turns.incrementAndGet();
    }

    boolean isPassedOverAndOver() {
      return oftenInLast(WINDOW) > TOLERATED;
    }

    private long oftenInLast(int count) {
      return lastPasses.stream()
          .skip(Math.max(0, lastPasses.size() - count))
          .filter(passes -> passes > OFTEN)
          .count();
    }
  }

  /** How long both go on. */
  private static final class Game {
    private final List<Player> players;
    private final long end;
    private final long latestEnd;
    private final Queue<Player> losers = new ConcurrentLinkedQueue<>();

    Game(List<Player> players, Duration time, Duration more) {
      this.players = players;
      this.end = System.nanoTime() + time.toNanos();
      this.latestEnd = end + more.toNanos();
    }

    boolean goesOn() {
      long now = System.nanoTime();
      return losers.isEmpty()
          && (now - end < 0 || (now - latestEnd < 0 && players.stream().anyMatch(Game::isOpen)));
    }

    private static boolean isOpen(Player player) {
      return player.suspect || player.turns.get() < HUNDREDS;
    }
  }

  @Rule(
      value = "F2",
      check = "what a client waits for before it sends an attempt, also after hundreds of them",
      neighbours = Neighbours.NONE)
  public static void whoAsksComesIntoTheQueueAtOnce(RuleRun run) throws Exception {
    String name = run.name();
    LockRequest request = FairnessRules.fair(run, name).withWait(run.limit(20_000));
    List<Player> players = List.of(
        new Player("the first client", run.client()),
        new Player("the second client", run.client()));
    Duration time = Duration.ofMillis(run.amount(2_000, 6_000, 20_000));
    Game game = new Game(players, time, run.limit(20_000));
    List<Integer> turns = SideBySide.each(players, player -> play(game, player, request));
    for (Player loser : game.losers) {
      throw new RuleViolation(
          "of two clients that take turns none is passed more than %d times, except now and then"
              .formatted(OFTEN),
          "after %d turns %s was in more than %d of its last %d"
              .formatted(loser.turns.get(), loser.who, TOLERATED, WINDOW),
          List.of("the other one's turns before each of its last: " + loser.lastPasses));
    }
    RuleRun.requireEnough(Collections.min(turns), WINDOW, "turns of each client came about");
    for (Player player : players) {
      expectAsQuickAsNew(run, player, request);
    }
    run.note("two clients had " + turns + " turns in turn, of which "
        + players.stream().map(player -> player.often).toList() + " came after more than " + OFTEN
        + " of the other one");
  }

  private static int play(Game game, Player own, LockRequest request) throws InterruptedException {
    Player other = game.players.get(own == game.players.get(0) ? 1 : 0);
    while (game.goesOn()) {
      int before = other.turns.get();
      Lease lease = own.client.acquire(request);
      own.hadTurn(other.turns.get() - before);
      if (own.isPassedOverAndOver()) {
        game.losers.add(own);
      }
      lease.release();
    }
    return own.turns.get();
  }

  /** Who has become slow with a lock is not seen by its passes if the other one has, too. */
  private static void expectAsQuickAsNew(RuleRun run, Player player, LockRequest request)
      throws InterruptedException {
    List<Long> used = new ArrayList<>();
    List<Long> unused = new ArrayList<>();
    for (int i = 0; i < PAIRS; i++) {
      used.add(timeToAcquire(player.client, request));
      unused.add(timeToAcquire(player.client, FairnessRules.fair(run, run.name())));
    }
    Collections.sort(used);
    Collections.sort(unused);
    long median = used.get(PAIRS / 2);
    long usual = unused.get(PAIRS / 2);
    long limit = PushRules.limit(unused.get(0), usual) + run.ms(15).toNanos();
    run.expect(
        median <= limit,
        "after %d turns %s acquires that lock, while it is free, within %.2f ms"
            .formatted(player.turns.get(), player.who, limit / 1e6),
        "the median is %.2f ms, and that of locks that it never had %.2f ms"
            .formatted(median / 1e6, usual / 1e6));
  }

  private static long timeToAcquire(LockClient client, LockRequest request)
      throws InterruptedException {
    long start = System.nanoTime();
    Lease lease = client.acquire(request);
    long took = System.nanoTime() - start;
    lease.release();
    return took;
  }
}
