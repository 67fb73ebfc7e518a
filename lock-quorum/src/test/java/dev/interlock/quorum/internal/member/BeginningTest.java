package dev.interlock.quorum.internal.member;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.BackendUnavailableException;
import dev.interlock.LockConfig;
import dev.interlock.LockException;
import dev.interlock.quorum.ForgettingProvider;
import dev.interlock.quorum.ThreeRedis;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.BackendContext;
import dev.interlock.spi.BackendEvents;
import dev.interlock.spi.ClientId;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.LockBackend;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** When members that are new, or have lost their state, may vote before longestLease is over. */
@Timeout(120)
class BeginningTest {
  private static final int MEMBERS = 3;
  private static final Duration LEASE = Duration.ofSeconds(50);
  private static final long LIMIT = TimeUnit.SECONDS.toNanos(20);
  private static final AtomicInteger TESTS = new AtomicInteger();
  private static final AtomicLong IDS = new AtomicLong();

  private final String namespace = "beginning" + TESTS.incrementAndGet() + "-";

  private LockBackend open(String client) {
    List<String> members = IntStream.range(0, MEMBERS)
        .mapToObj(member -> "forgetting://?namespace=" + namespace + member)
        .toList();
    return open(client, ThreeRedis.quorum(members, "&longestLease=P365D"));
  }

  private static LockBackend open(String client, String uri) {
    LockBackend opened =
        BackendContext.of(new ClientId(client, "test")).open(LockConfig.parse(uri));
    opened.subscribe(BackendEvents.IGNORED);
    return opened;
  }

  private ForgettingProvider.Way way(String client, int member) {
    return ForgettingProvider.way(client, namespace + member);
  }

  private static Attempt attempt(String name) {
    return Attempt.of(name, new HoldId(1, IDS.incrementAndGet()), "owner", LEASE);
  }

  private static boolean isGranted(LockBackend client, String name) {
    Attempt attempt = attempt(name);
    try {
      return client.attempt(attempt) instanceof Grant && client.release(name, attempt.id());
    } catch (LockException e) {
      return false;
    }
  }

  private static void awaitGrant(LockBackend client) throws InterruptedException {
    long start = System.nanoTime();
    while (!isGranted(client, "b")) {
      assertThat(System.nanoTime() - start).as("how long nothing was granted").isLessThan(LIMIT);
      TimeUnit.MILLISECONDS.sleep(20);
    }
  }

  @Test
  @DisplayName("members that lose their state one after the other begin together, in any order")
  void beginsTogetherAfterLossesInTurn() throws Exception {
    try (LockBackend client = open("asks");
        LockBackend idle = open("idle")) {
      assertThat(isGranted(idle, "a")).isTrue();
      boolean inTime = false;
      while (!inTime) {
        long first = System.nanoTime();
        for (int member : new int[] {1, 2, 0}) {
          ForgettingProvider.empty(namespace + member);
          long lost = System.nanoTime();
          while (System.nanoTime() - lost < TimeUnit.MILLISECONDS.toNanos(1_200)) {
            var unused = isGranted(client, "a");
            TimeUnit.MILLISECONDS.sleep(10);
          }
        }
        // Else this JVM stood still, and the marks are too far apart: all anew.
        inTime = System.nanoTime() - first < Memory.YOUNG;
      }
      awaitGrant(client);
      awaitGrant(idle);
    }
  }

  @Test
  @DisplayName("a client that marks the first member and stands still keeps nobody from beginning")
  void beginsThoughAClientStandsStill() throws Exception {
    CountDownLatch marked = new CountDownLatch(1);
    CountDownLatch ends = new CountDownLatch(1);
    for (int member = 1; member < MEMBERS; member++) {
      way("stands", member).step(name -> await(ends));
    }
    way("stands", 0).step(name -> marked.countDown());
    CompletableFuture<LockBackend> opening = CompletableFuture.supplyAsync(() -> open("stands"));
    await(marked);
    try (LockBackend other = open("other")) {
      awaitGrant(other);
    } finally {
      ends.countDown();
      opening.join().close();
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  @DisplayName("what a client that died has marked is vouched for by the next one, however late")
  void vouchesForTheMarksOfAClientThatDied() throws Exception {
    AtomicInteger marks = new AtomicInteger();
    AtomicBoolean dead = new AtomicBoolean();
    for (int member = 0; member < MEMBERS; member++) {
      way("dies", member).step(name -> {
        if (dead.get() || !name.equals(Memory.MARK)) {
          dead.set(true);
          throw new BackendUnavailableException("dead");
        }
        marks.incrementAndGet();
      });
    }
    open("dies").close();
    assertThat(marks.get()).as("steps that were about marks").isPositive();
    TimeUnit.MILLISECONDS.sleep(6_000); // later than all the time within which marks are made
    try (LockBackend next = open("next")) {
      awaitGrant(next);
    }
  }

  @Test
  @DisplayName("Q4: a member that is emptied right after all began does not vote into a held lock")
  void doesNotBeginAgain() throws Exception {
    for (int emptied = 0; emptied < MEMBERS; emptied++) {
      int third = (emptied + 1) % MEMBERS;
      int others = (emptied + 2) % MEMBERS;
      String holders = "holder" + emptied;
      String rivals = "rival" + emptied;
      try (LockBackend all = open("all" + emptied);
          LockBackend holder = open(holders);
          LockBackend rival = open(rivals)) {
        awaitGrant(all);
        way(holders, third).down(true);
        way(rivals, others).down(true);
        Attempt held = attempt("held");
        assertThat(holder.attempt(held)).isInstanceOf(Grant.class);
        ForgettingProvider.empty(namespace + emptied);
        for (int i = 0; i < 50; i++) {
          // These two know all marks, and would vouch for them.
          assertThat(isGranted(all, "held")).isFalse();
          assertThat(isGranted(rival, "held"))
              .as("member %d was emptied", emptied + 1)
              .isFalse();
          TimeUnit.MILLISECONDS.sleep(10);
        }
        IntStream.range(0, MEMBERS).forEach(i -> ForgettingProvider.empty(namespace + i));
        awaitGrant(all);
      }
    }
  }

  @Test
  @DisplayName("a mark is in one list for good, and what is noted on an earlier one gives way")
  void notesOnceForEachMark() {
    Membership quorum = ThreeRedis.membership(
        ThreeRedis.quorum(List.of("local://?namespace=x", "local://?namespace=y"), ""));
    Memory memory = new Memory(0, quorum, false);
    try (LockBackend member = open("direct", "forgetting://?namespace=" + namespace + 0)) {
      String first = marked(memory, member);
      assertThat(memory.noteBeginning(member, "0 since then", List.of("0 since then", "A")))
          .as("a note that is late")
          .isFalse();
      assertThat(memory.mayBegin(member, first, List.of(first, "A"))).isTrue();
      assertThat(memory.noteBeginning(member, first, List.of(first, "A"))).isTrue();
      assertThat(memory.noteBeginning(member, first, List.of(first, "A"))).isTrue();
      assertThat(memory.mayBegin(member, first, List.of(first, "B"))).isFalse();
      assertThat(memory.noteBeginning(member, first, List.of(first, "B"))).isFalse();
      assertThat(memory.noteAlone(member, first)).isTrue();
      assertThat(memory.vouch(member, first)).isTrue();
      assertThat(memory.look(member).trusted()).isTrue();

      assertThat(member.forceRelease(Memory.MARK)).isTrue();
      String second = marked(memory, member);
      assertThat(memory.look(member).trusted()).isFalse();
      assertThat(memory.vouch(member, first)).as("a voucher that is late").isFalse();
      assertThat(memory.noteBeginning(member, second, List.of(second, "B"))).isTrue();
      assertThat(memory.vouch(member, second)).isTrue();
      assertThat(memory.look(member).trusted()).isTrue();
    }
  }

  private static String marked(Memory memory, LockBackend member) {
    assertThat(memory.mark(member)).isTrue();
    return Objects.requireNonNull(memory.look(member).mark());
  }
}
