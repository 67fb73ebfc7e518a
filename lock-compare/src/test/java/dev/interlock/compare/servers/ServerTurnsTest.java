package dev.interlock.compare.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.LockException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ServerTurnsTest {
  private final ServerTurns turns = new ServerTurns();

  @AfterEach
  void clear_the_flag() {
    var unused = Thread.interrupted();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "redis-setnx://localhost        | redis-hash://localhost:6379",
        "redis-setnx://127.0.0.1:6379   | redis-hash://localhost:6379",
        "redis-setnx://[::1]            | redis-hash://LOCALHOST:6379",
        "redis-setnx://localhost:1      | redis-hash://192.0.2.2:2,127.0.0.1:1",
        "redis-setnx://[2001:DB8::1]:7  | redis-hash://[2001:db8:0::1]:7",
        "mysql://u:p@localhost/a        | mysql://127.0.0.1:3306/b",
        "postgres://localhost/a         | postgres://127.0.0.1:5432/b",
        "quorum://?member=a%3A%2F%2F192.0.2.2%3A1&member=redis-hash%3A%2F%2Flocalhost | redis-setnx://localhost:6379",
      })
  void those_that_share_a_server_take_turns_however_it_is_named(String one, String other)
      throws InterruptedException {
    assertThat(isFreeBeside(one, other)).isFalse();
    assertThat(isFreeBeside(other, one)).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "redis-setnx://localhost:6380 | redis-hash://localhost",
        "redis-setnx://192.0.2.1    | redis-hash://192.0.2.2",
        "mysql://u:p@localhost/a      | postgres://localhost/a",
        "local://                     | redis-hash://localhost",
        "quorum://?member=redis-hash%3A%2F%2Flocalhost%3A6380 | redis-hash://localhost",
      })
  void those_on_servers_of_their_own_do_not_wait(String one, String other)
      throws InterruptedException {
    assertThat(isFreeBeside(one, other)).isTrue();
  }

  @Test
  void a_turn_that_was_not_got_leaves_nothing_taken() throws Exception {
    Runnable second = turns.await("192.0.2.2:1");
    CompletableFuture<Throwable> ended = new CompletableFuture<>();
    Thread waiter = new Thread(() -> {
      try {
        turns.await("192.0.2.1:1,192.0.2.2:1");
        ended.complete(new AssertionError("it got its turn"));
      } catch (LockException e) {
        ended.complete(e);
      }
    });
    waiter.start();
    waiter.interrupt();
    assertThat(ended.get(30, TimeUnit.SECONDS)).isInstanceOf(LockException.class);
    // Another thread's lock would block this one for ever.
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> turns.await("192.0.2.2:1,192.0.2.3:1"))
        .isInstanceOf(LockException.class);
    assertThat(Thread.interrupted()).isTrue();
    second.run();
    CompletableFuture.runAsync(
            () -> turns.await("192.0.2.1:1,192.0.2.2:1,192.0.2.3:1").run())
        .get(30, TimeUnit.SECONDS);
  }

  /** Whether somebody else gets a turn while the first has its. */
  private boolean isFreeBeside(String one, String other) throws InterruptedException {
    Runnable turn = turns.await(address(one));
    CompletableFuture<Boolean> got = new CompletableFuture<>();
    Thread second = new Thread(() -> {
      turns.await(address(other)).run();
      got.complete(true);
    });
    second.start();
    while (!got.isDone() && !isWaiting(second)) {
      TimeUnit.MILLISECONDS.sleep(5);
    }
    boolean free = got.isDone();
    turn.run();
    second.join();
    return free;
  }

  private static boolean isWaiting(Thread thread) {
    return thread.getState() == Thread.State.WAITING
        && Stream.of(thread.getStackTrace())
            .anyMatch(frame -> frame.getMethodName().equals("lockInterruptibly"));
  }

  private static String address(String uri) {
    return ServerTurns.address(Backend.behindProvider(uri), LockUris.scheme(uri).orElseThrow());
  }
}
