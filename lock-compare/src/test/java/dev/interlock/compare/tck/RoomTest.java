package dev.interlock.compare.tck;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class RoomTest {

  @Test
  void one_that_mostly_waits_makes_room_for_one_that_is_busy_and_one_that_ends_for_one_more()
      throws Exception {
    Room room = new Room(1, 2);
    Room.Place first = room.enter();
    CountDownLatch second = entered(room);
    assertThat(isSoon(second)).as("one is busy").isFalse();
    first.calm();
    first.calm();
    assertThat(second.await(30, TimeUnit.SECONDS)).isTrue();

    CountDownLatch third = entered(room);
    assertThat(isSoon(third)).as("two are there").isFalse();
    first.close();
    first.close();
    assertThat(isSoon(third)).as("the second is busy").isFalse();
  }

  @Test
  void one_that_ends_without_ever_waiting_leaves_all_its_room() throws Exception {
    Room room = new Room(1, 1);
    room.enter().close();
    room.enter().close();
    assertThat(entered(room).await(30, TimeUnit.SECONDS)).isTrue();
  }

  private static boolean isSoon(CountDownLatch entered) throws InterruptedException {
    return entered.await(200, TimeUnit.MILLISECONDS);
  }

  /** Counted down when there was room. */
  private static CountDownLatch entered(Room room) {
    CountDownLatch entered = new CountDownLatch(1);
    Thread thread = new Thread(() -> {
      try {
        room.enter();
        entered.countDown();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    });
    thread.setDaemon(true);
    thread.start();
    return entered;
  }
}
