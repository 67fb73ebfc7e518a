package dev.interlock.internal.running;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class AgendaTest {
  private static final long HOUR = TimeUnit.HOURS.toNanos(1);

  private final ClientThreads threads = new ClientThreads("agenda-test", null);
  private final Agenda agenda = new Agenda(threads, Clocks.SYSTEM);

  @AfterEach
  void close() {
    threads.close(0);
  }

  private static final class Counted extends Agenda.Item {
    final AtomicInteger looks = new AtomicInteger();
    final CountDownLatch first = new CountDownLatch(1);

    @Override
    public void due() {
      looks.incrementAndGet();
      first.countDown();
    }
  }

  /** The only way to see timers that nobody waits for any more. */
  private int timers() throws ReflectiveOperationException {
    var field = ClientThreads.class.getDeclaredField("timer");
    field.setAccessible(true);
    return ((ScheduledThreadPoolExecutor) field.get(threads)).getQueue().size();
  }

  private static long in(long millis) {
    return System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
  }

  @Test
  @DisplayName("M4 short items beside a long one leave one timer, not one each")
  void keepsOneTimer() throws Exception {
    agenda.put(new Counted(), System.nanoTime() + HOUR);
    for (int i = 0; i < 200; i++) {
      Counted item = new Counted();
      agenda.put(item, in(i % 2));
      assertThat(item.first.await(5, TimeUnit.SECONDS)).isTrue();
    }
    assertThat(timers()).isLessThanOrEqualTo(2);
  }

  @Test
  @DisplayName("M4 a thousand items, put and removed, leave one timer")
  void leavesNoTimer() throws Exception {
    for (int i = 0; i < 1000; i++) {
      Counted item = new Counted();
      agenda.put(item, System.nanoTime() + HOUR - i);
      agenda.remove(item);
    }
    assertThat(timers()).isLessThanOrEqualTo(1);
  }

  @Test
  @DisplayName(
      "every item is looked at in time, in whatever order they come, and one that throws stops"
          + " none")
  void overlooksNothing() throws Exception {
    List<Counted> items = new ArrayList<>();
    List<Thread> writers = new ArrayList<>();
    for (int w = 0; w < 4; w++) {
      List<Counted> own = new ArrayList<>();
      for (int i = 0; i < 2000; i++) {
        own.add(new Counted());
      }
      items.addAll(own);
      Random random = new Random(w);
      writers.add(new Thread(() -> {
        for (Counted item : own) {
          agenda.put(item, in(1000 - random.nextInt(1000)));
          if (random.nextBoolean()) {
            agenda.put(item, in(random.nextInt(30)));
          }
          if (random.nextInt(50) == 0) {
            agenda.put(new Failing(), in(random.nextInt(30)));
          }
        }
      }));
    }
    for (Thread writer : writers) {
      writer.start();
    }
    for (Thread writer : writers) {
      writer.join();
    }
    for (Counted item : items) {
      assertThat(item.first.await(5, TimeUnit.SECONDS)).isTrue();
    }
  }

  private static final class Failing extends Agenda.Item {
    final AtomicInteger looks = new AtomicInteger();
    final CountDownLatch again = new CountDownLatch(1);

    @Override
    public void due() {
      if (looks.getAndIncrement() == 0) {
        throw new NoClassDefFoundError("as a bug would");
      }
      again.countDown();
    }
  }

  @Test
  @DisplayName("an item that failed, even with an Error, is looked at again: it may be a renewal's")
  void looksAgain() throws Exception {
    Failing item = new Failing();
    agenda.put(item, in(1));
    assertThat(item.again.await(5, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  @DisplayName(
      "L8 after a jump of the clock each item is told once, also where several have one time")
  void tellsOfJumpOnce() throws Exception {
    AtomicLong moved = new AtomicLong();
    Agenda jumping = new Agenda(
        threads, new Clocks(System::nanoTime, () -> System.currentTimeMillis() + moved.get()));
    long at = System.nanoTime() + HOUR;
    AtomicInteger told = new AtomicInteger();
    for (int i = 0; i < 3; i++) {
      jumping.put(
          new Agenda.Item() {
            @Override
            public void due() {}

            @Override
            public void clocksJumped() {
              told.incrementAndGet();
              jumping.put(this, at);
            }
          },
          at);
    }
    moved.set(HOUR);
    Counted last = new Counted();
    jumping.put(last, in(1));
    assertThat(last.first.await(5, TimeUnit.SECONDS))
        .as("looked at after the jump")
        .isTrue();
    assertThat(told).hasValue(3);
  }

  @Test
  @DisplayName("a retired item cannot be put back, a removed one can")
  void retires() throws Exception {
    Counted retired = new Counted();
    agenda.put(retired, in(2000));
    agenda.retire(retired);
    agenda.put(retired, in(0));
    Counted removed = new Counted();
    agenda.put(removed, in(2000));
    agenda.remove(removed);
    agenda.put(removed, in(1));
    assertThat(removed.first.await(5, TimeUnit.SECONDS)).isTrue();
    assertThat(retired.looks).hasValue(0);
    assertThat(removed.looks).hasValue(1);
  }
}
