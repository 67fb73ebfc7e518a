package dev.interlock.redis.support.jedis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.BackendUnavailableException;
import dev.interlock.contract.Undisturbed;
import dev.interlock.redis.support.contract.Topologies;
import dev.interlock.redis.support.jedis.Connections.Use;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import redis.clients.jedis.Connection;

/** Who needs a connection where no further one can be opened. */
@Timeout(60)
class OpenConnectionsTest {
  private static final Duration LIMIT = Duration.ofSeconds(2);

  private final OpenConnections open = new OpenConnections();

  /** Opens none; of those that are given back it keeps any that nobody takes. */
  private static class Refusing implements OpenConnections.Source {
    final ConcurrentLinkedDeque<Connection> kept = new ConcurrentLinkedDeque<>();
    final AtomicInteger refusals = new AtomicInteger();
    final Set<Thread> lookers = ConcurrentHashMap.newKeySet();

    @Override
    public @Nullable Connection idle() {
      lookers.add(Thread.currentThread());
      return kept.pollFirst();
    }

    @Override
    public Connection further() {
      throw new BackendUnavailableException("refusal " + refusals.incrementAndGet());
    }

    @Override
    public boolean isAnyOpen() {
      return true;
    }

    @Override
    public void keep(Connection connection) {
      kept.addFirst(connection);
    }
  }

  @Test
  void N7_oneIsOpenedInPlaceOfTheOneThatBroke() {
    Connection other = connection();
    Refusing breaking = new Refusing() {
      private int looks;

      @Override
      public Connection further() {
        return refusals.get() == 0 ? super.further() : other;
      }

      @Override
      public boolean isAnyOpen() {
        return looks++ < 3;
      }
    };
    assertThat(open.furtherOrNext(Use.ATTEMPT, breaking, deadline())).isSameAs(other);
  }

  @Test
  void W4_whoWaitsGetsAnotherOneOnceThereIsRoomAlthoughAllThatAreOpenHang() throws Exception {
    Connection other = connection();
    List<Connection> room = new CopyOnWriteArrayList<>();
    Refusing full = new Refusing() {
      @Override
      public Connection further() {
        return room.isEmpty() ? super.further() : room.remove(0);
      }
    };
    FutureTask<Connection> attempt = await(Use.ATTEMPT, full);
    FutureTask<Connection> holder = await(Use.HOLDER, full);
    Topologies.await(() -> full.refusals.get() > 3);

    room.add(other);

    assertThat(holder.get(5, TimeUnit.SECONDS)).isSameAs(other);
    assertThat(attempt).isNotDone();
    giveBack(other, full);
    assertThat(attempt.get(5, TimeUnit.SECONDS)).isSameAs(other);
  }

  @Test
  void W4_aServerThatIsSilentHoldsUpNobodyWhoWaits() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch answered = new CountDownLatch(1);
    Connection late = connection();
    Refusing silent = new Refusing() {
      @Override
      public Connection further() {
        if (!Thread.currentThread().getName().equals("interlock-connection")) {
          return super.further();
        }
        asked.countDown();
        Topologies.await(() -> answered.getCount() == 0);
        return late;
      }
    };
    FutureTask<Connection> first = await(Use.HOLDER, silent);
    FutureTask<Connection> second =
        start(() -> open.furtherOrNext(Use.ATTEMPT, silent, deadline()));
    assertThat(asked.await(20, TimeUnit.SECONDS)).isTrue();
    Connection given = connection();
    assertThat(open.handOver(given)).isTrue();
    assertThat(first.get(5, TimeUnit.SECONDS)).isSameAs(given);
    assertThatThrownBy(() -> second.get(20, TimeUnit.SECONDS)).hasMessageContaining("refusal ");
    assertThat(silent.kept).isEmpty();

    answered.countDown();

    Topologies.await(() -> silent.kept.contains(late)); // nobody waits for it any more
  }

  @Test
  void E3_aServerThatRefusesTheOnlyConnectionIsAskedOnce() {
    Refusing down = new Refusing() {
      @Override
      public boolean isAnyOpen() {
        return false;
      }
    };
    assertThatThrownBy(() -> open.furtherOrNext(Use.ATTEMPT, down, deadline()))
        .isInstanceOf(BackendUnavailableException.class)
        .hasMessage("refusal 1");
  }

  @Test
  void E7_afterCloseTheServerIsNotAskedForThoseWhoWait() {
    Refusing full = new Refusing();
    open.close();
    assertThatThrownBy(() -> open.furtherOrNext(Use.ATTEMPT, full, deadline()))
        .hasMessage("refusal 1");
    assertThat(full.refusals).hasValue(1);
  }

  @Undisturbed(millis = 100)
  void W7_manyShareOneConnectionAndNobodyWaitsForLong() throws Exception {
    Refusing source = new Refusing();
    source.keep(connection());
    long end = System.nanoTime() + LIMIT.multipliedBy(2).toNanos();
    List<FutureTask<Duration>> waits = new ArrayList<>();
    for (int i = 0; i < 9; i++) {
      Use use = i == 0 ? Use.HOLDER : Use.ATTEMPT;
      waits.add(start(() -> longestWait(use, source, () -> System.nanoTime() - end < 0)));
    }
    for (FutureTask<Duration> wait : waits) {
      assertThat(wait.get(20, TimeUnit.SECONDS)).isLessThan(Duration.ofMillis(800));
    }
    assertThat(source.kept).hasSize(1);
  }

  private Duration longestWait(Use use, Refusing source, BooleanSupplier goesOn) throws Exception {
    Duration longest = Duration.ZERO;
    while (goesOn.getAsBoolean()) {
      long start = System.nanoTime();
      Connection next = open.furtherOrNext(use, source, start + LIMIT.toNanos());
      Duration wait = Duration.ofNanos(System.nanoTime() - start);
      longest = wait.compareTo(longest) > 0 ? wait : longest;
      TimeUnit.MILLISECONDS.sleep(20);
      giveBack(next, source);
    }
    return longest;
  }

  private void giveBack(Connection connection, Refusing source) {
    if (!open.handOver(connection)) {
      source.keep(connection);
    }
  }

  @Test
  void W7_whoHoldsALockComesBeforeAttempts() throws Exception {
    FutureTask<Connection> attempt = await(Use.ATTEMPT);
    FutureTask<Connection> holder = await(Use.HOLDER);
    Connection first = connection();
    Connection second = connection();
    assertThat(open.handOver(first)).isTrue();
    assertThat(open.handOver(second)).isTrue();
    assertThat(holder.get(20, TimeUnit.SECONDS)).isSameAs(first);
    assertThat(attempt.get(20, TimeUnit.SECONDS)).isSameAs(second);
    assertThat(open.handOver(first)).as("to nobody").isFalse();
  }

  /** A thread that has its place. */
  private FutureTask<Connection> await(Use use) throws Exception {
    return await(use, new Refusing());
  }

  private FutureTask<Connection> await(Use use, Refusing source) throws Exception {
    int before = source.lookers.size();
    FutureTask<Connection> waiting =
        start(() -> open.furtherOrNext(use, source, System.nanoTime() + 20 * LIMIT.toNanos()));
    Topologies.await(() -> source.lookers.size() > before);
    return waiting;
  }

  @Test
  void whoIsHandedOneAndFindsAnotherKeepsNoneToItself() {
    Connection handed = connection();
    Connection found = connection();
    Refusing source = new Refusing() {
      @Override
      public Connection idle() {
        assertThat(open.handOver(handed)).isTrue();
        return found;
      }
    };
    assertThat(open.furtherOrNext(Use.ATTEMPT, source, deadline())).isSameAs(handed);
    assertThat(source.kept).containsExactly(found);
    assertThat(open.isAwaited()).isFalse();
  }

  @Test
  void whatWasHandedToOneThatFailsIsNotLost() {
    Connection handed = connection();
    Refusing source = new Refusing() {
      @Override
      public Connection idle() {
        assertThat(open.handOver(handed)).isTrue();
        throw new OutOfMemoryError("for the test");
      }
    };
    assertThatThrownBy(() -> open.furtherOrNext(Use.ATTEMPT, source, deadline()))
        .isInstanceOf(OutOfMemoryError.class);
    assertThat(source.kept).containsExactly(handed);
    assertThat(open.isAwaited()).isFalse();
  }

  private static <T> FutureTask<T> start(Callable<T> work) {
    FutureTask<T> task = new FutureTask<>(work);
    Thread thread = new Thread(task, "needs-a-connection");
    thread.setDaemon(true);
    thread.start();
    return task;
  }

  private static long deadline() {
    return System.nanoTime() + LIMIT.toNanos();
  }

  /** Is never used, so leads nowhere. */
  private static Connection connection() {
    return new Connection("127.0.0.1", 1);
  }
}
