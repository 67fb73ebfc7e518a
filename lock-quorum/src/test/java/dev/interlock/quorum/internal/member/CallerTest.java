package dev.interlock.quorum.internal.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.LockException;
import dev.interlock.quorum.BatchingMembers;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.Grant;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** When a caller reads the members' answers itself, and what it leaves to their threads. */
@Timeout(30)
class CallerTest extends BatchingMembers {
  private final CountDownLatch begun = new CountDownLatch(1);
  private final CountDownLatch goOn = new CountDownLatch(1);

  @BeforeEach
  void open() throws InterruptedException {
    ways.forEach(way -> way.answersSoon(true));
    quorumMembers().all().forEach(member -> member.batches().expectsWithin(LEASE));
    readItself();
  }

  @AfterEach
  void close() {
    goOn.countDown();
  }

  /** Until this thread reads the answers of all members: there was no crowd for a while. */
  private void readItself() throws InterruptedException {
    do {
      takeAndRelease();
    } while (!ways.stream().allMatch(way -> way.reader() == Thread.currentThread()));
  }

  private static void await(CountDownLatch latch) {
    boolean interrupted = false;
    while (true) {
      try {
        assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** The next batch to a member hangs until {@link #goOn}. */
  private void hang(int member) {
    AtomicBoolean first = new AtomicBoolean(true);
    ways.get(member).before(() -> {
      if (first.getAndSet(false)) {
        begun.countDown();
        await(goOn);
      }
    });
  }

  @Test
  @DisplayName("Q1: a caller does not wait for a member that falls silent, and reads again later")
  void leavesTheSilent() throws Exception {
    hang(2);
    ways.get(2).answersSoon(false);
    Attempt held = attempt();
    assertThat(quorum.attempt(held)).isInstanceOf(Grant.class);
    assertThat(ways.get(0).reader()).isSameAs(Thread.currentThread());
    await(begun);
    assertThat(ways.get(2).reader()).isNotSameAs(Thread.currentThread());
    assertThat(quorum.release(NAME, held.id())).isTrue();
    goOn.countDown();
    awaitFree();
    ways.get(2).answersSoon(true);
    readItself();
  }

  @Test
  @DisplayName("Q1: the same of a member that falls silent once it was asked")
  void leavesTheSilentOnceAsked() throws Exception {
    hang(2);
    ways.get(1).before(() -> ways.get(2).answersSoon(false)); // it was sent before that
    Attempt held = attempt();
    assertThat(quorum.attempt(held)).isInstanceOf(Grant.class);
    await(begun);
    assertThat(ways.get(2).reader()).isNotSameAs(Thread.currentThread());
    assertThat(quorum.release(NAME, held.id())).isTrue();
    goOn.countDown();
    awaitFree();
  }

  @Test
  @DisplayName("E6: votes that a caller does not wait for are read, and given back")
  void leavesWhatItDoesNotNeed() throws Exception {
    Attempt holder = attempt();
    assertThat(servers.get(0).attempt(holder)).isInstanceOf(Grant.class);
    assertThat(quorum.attempt(attempt())).isInstanceOf(AttemptResult.Busy.class);
    assertThat(servers.get(0).release(NAME, holder.id())).isTrue();
    awaitFree();
  }

  @Test
  @DisplayName(
      "Q1: what a caller has sent is read while it waits for the member at which all queue")
  void leavesTheOthersBeforeItWaits() throws Exception {
    Thread caller = Thread.currentThread();
    boolean left = false;
    // A member that is silent for too long is given up, perhaps before a thread has begun to read.
    for (int round = 0; round < 10 && !left; round++) {
      readItself();
      AtomicBoolean returned = new AtomicBoolean();
      AtomicBoolean readMeanwhile = new AtomicBoolean();
      ways.get(0).answersSoon(false);
      ways.get(0).before(() -> {
        while (ways.get(1).reader() == caller && !returned.get()) {
          Thread.onSpinWait();
        }
        readMeanwhile.compareAndSet(false, !returned.get());
      });
      Attempt held = attempt();
      quorum.attempt(held);
      returned.set(true);
      ways.get(0).before(() -> {});
      ways.get(0).answersSoon(true);
      quorum.release(NAME, held.id());
      awaitFree();
      left = readMeanwhile.get();
    }
    assertThat(left).isTrue();
  }

  @Test
  @DisplayName("E3: what breaks off while a caller reads is unknown, and given back")
  void breaksOff() throws Exception {
    ways.get(2).breaksAfter(0);
    takeAndRelease();
    ways.get(1).breaksAfter(0);
    assertThatThrownBy(() -> quorum.attempt(attempt())).isInstanceOf(LockException.class);
    ways.forEach(way -> way.breaksAfter(Integer.MAX_VALUE));
    awaitFree();
  }

  @Test
  @DisplayName("an Error while a caller reads leaves no question without an end, nor later ones")
  void failsWhole() throws Exception {
    ways.get(1).before(() -> {
      throw new OutOfMemoryError("for the test");
    });
    Attempt held = attempt();
    assertThat(quorum.attempt(held)).isInstanceOf(Grant.class);
    ways.get(1).before(() -> {});
    assertThat(quorum.release(NAME, held.id())).isTrue();
    awaitFree();
    readItself();
  }

  @Test
  @DisplayName("W5: an interrupted caller reads nothing itself, and keeps its flag")
  void interrupted() throws Exception {
    Set<Thread> readers = ConcurrentHashMap.newKeySet();
    ways.forEach(way -> way.before(() -> readers.add(Thread.currentThread())));
    Attempt held = attempt();
    Thread.currentThread().interrupt();
    assertThat(quorum.attempt(held)).isInstanceOf(Grant.class);
    assertThat(quorum.release(NAME, held.id())).isTrue();
    assertThat(Thread.interrupted()).isTrue();
    assertThat(readers).isNotEmpty().doesNotContain(Thread.currentThread());
    awaitFree();
  }

  @Test
  @DisplayName("W5: an interrupt while a caller reads changes nothing, and is kept")
  void interruptedMeanwhile() throws Exception {
    Thread caller = Thread.currentThread();
    ways.get(0).before(caller::interrupt);
    AtomicBoolean disturbed = new AtomicBoolean();
    ways.get(1).before(() -> disturbed.set(Thread.currentThread().isInterrupted()));
    Attempt held = attempt();
    assertThat(quorum.attempt(held)).isInstanceOf(Grant.class);
    assertThat(Thread.interrupted()).isTrue();
    assertThat(disturbed).isFalse(); // it would close the socket of a virtual thread
    ways.get(0).before(() -> {});
    assertThat(quorum.release(NAME, held.id())).isTrue();
    awaitFree();
  }

  @Test
  @DisplayName("an Error while a caller sends leaves no question without an end, nor later ones")
  void failsToSend() throws Exception {
    ways.get(2).sending(() -> {
      throw new OutOfMemoryError("for the test");
    });
    Attempt held = attempt();
    assertThat(quorum.attempt(held)).isInstanceOf(Grant.class);
    ways.get(2).sending(() -> {});
    assertThat(quorum.release(NAME, held.id())).isTrue();
    awaitFree();
    readItself();
  }

  @Test
  @DisplayName(
      "E7: a caller whose members were closed meanwhile reads what it cannot leave to their threads")
  void readsOnWhenClosed() throws Exception {
    hang(1);
    Thread caller = new Thread(() -> {
      try {
        quorum.attempt(attempt());
      } catch (LockException e) {
        // Whether it is granted is open.
      }
    });
    caller.start();
    await(begun);
    quorum.close();
    ways.get(2).answersSoon(false);
    goOn.countDown();
    caller.join();
    assertThat(ways.get(2).reader()).isSameAs(caller); // there is no thread to leave it to
  }
}
