package dev.interlock.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.DistributedLock;
import dev.interlock.DistributedReadWriteLock;
import dev.interlock.HoldInfo;
import dev.interlock.Lease;
import dev.interlock.LockKind;
import dev.interlock.LockListener;
import dev.interlock.LockRequest;
import dev.interlock.LostReason;
import dev.interlock.local.FaultyBackend.Fault;
import dev.interlock.local.FaultyBackend.Operation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class ReadWriteTest {
  private static final LockRequest WRITER = LockRequest.of("x").fair(true);
  private static final LockRequest READER = WRITER.shared();

  private final Rig rig = new Rig();
  private final Rig.Client client = rig.open();
  private final Rig.Client other = rig.open();
  private final DistributedReadWriteLock lock = client.locks().readWriteLock("x");

  @AfterEach
  void close() {
    rig.close();
  }

  private void awaitWaiters(int count) {
    Await.until(count + " wait", () -> other.waiters("x") == count);
  }

  @Test
  @DisplayName("R1 readers of several clients hold together, each with a token, and nobody writes")
  void readsTogether() throws Exception {
    Lease first = client.locks().acquire(READER);
    Lease second = client.locks().acquire(READER);
    Lease third = other.locks().acquire(READER);
    assertThat(second.fencingToken()).isGreaterThan(first.fencingToken());
    assertThat(third.fencingToken()).isGreaterThan(second.fencingToken());
    assertThat(other.locks().tryAcquire(LockRequest.of("x"))).isEmpty();
    assertThat(client.locks().tryAcquire(WRITER)).isEmpty();
    first.release();
    third.release();
    assertThat(second.isValid()).isTrue();
    assertThat(other.locks().tryAcquire(WRITER)).isEmpty();
    second.release();
    try (Lease writer = other.locks().tryAcquire(WRITER).orElseThrow()) {
      assertThat(writer.fencingToken()).isGreaterThan(third.fencingToken());
      assertThat(client.locks().tryAcquire(READER)).isEmpty();
    }
  }

  @Test
  @DisplayName("R2 no reader passes a waiting writer, and those behind it come in together")
  void keepsTheOrder() throws Exception {
    Lease reader = client.locks().acquire(READER);
    CompletableFuture<Lease> writer = other.locks().acquireAsync(WRITER);
    awaitWaiters(1);
    assertThat(client.locks().tryAcquire(READER)).isEmpty();
    List<CompletableFuture<Lease>> behind = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      behind.add((i % 2 == 0 ? client : other).locks().acquireAsync(READER));
    }
    awaitWaiters(5);
    CompletableFuture<Lease> last = client.locks().acquireAsync(WRITER);
    awaitWaiters(6);

    reader.release();
    Lease written = Rig.join(writer);
    assertThat(behind).noneMatch(CompletableFuture::isDone);
    written.release();
    for (CompletableFuture<Lease> next : behind) {
      assertThat(Rig.join(next).fencingToken()).isGreaterThan(written.fencingToken());
    }
    assertThat(last).isNotDone();
    for (CompletableFuture<Lease> next : behind) {
      Rig.join(next).release();
    }
    Rig.join(last).release();
  }

  @Test
  @DisplayName("R3 a thread that reads reads again though a writer waits")
  void readsAgain() throws Exception {
    lock.readLock().lock();
    CompletableFuture<Lease> writer = other.locks().acquireAsync(WRITER);
    awaitWaiters(1);
    long token = lock.readLock().lease().fencingToken();
    assertThat(lock.readLock().tryLock()).isTrue();
    assertThat(lock.readLock().holdCount()).isEqualTo(2);
    assertThat(lock.readLock().lease().fencingToken()).isEqualTo(token);
    lock.readLock().unlock();
    assertThat(writer).isNotDone();
    lock.readLock().unlock();
    Rig.join(writer).release();
  }

  @Test
  @DisplayName("R3 a writer becomes a reader, and no other writer comes between")
  void downgrades() throws Exception {
    lock.writeLock().lock();
    CompletableFuture<Lease> reader = other.locks().acquireAsync(READER);
    awaitWaiters(1);
    // It wants the lock from this client itself, which would pass it on without the server.
    Task<Boolean> writer = Task.run(() -> {
      client.locks().lock("x").lock();
      client.locks().lock("x").unlock();
      return true;
    });
    writer.awaitParked();
    long written = lock.writeLock().lease().fencingToken();
    assertThat(lock.readLock().tryLock(5, TimeUnit.SECONDS)).isTrue();
    assertThat(lock.readLock().lease().fencingToken()).isGreaterThan(written);
    assertThat(lock.writeLock().isHeldByCurrentThread()).isTrue();
    assertThat(reader).isNotDone();
    lock.writeLock().unlock();
    assertThat(lock.readLock().isHeldByCurrentThread()).isTrue();
    assertThat(lock.writeLock().isHeldByCurrentThread()).isFalse();
    Rig.join(reader).release();
    assertThat(writer.isDone()).isFalse();
    lock.readLock().unlock();
    assertThat(writer.get()).isTrue();
  }

  @Test
  @DisplayName("R3 the client passes the lock to no writer while its former holder reads")
  void isNotPassedOnBesideAReader() throws Exception {
    DistributedLock plain = client.locks().lock("x");
    CompletableFuture<Boolean> reads = new CompletableFuture<>();
    CompletableFuture<Boolean> looked = new CompletableFuture<>();
    plain.lock();
    Task<Boolean> first = Task.run(() -> {
      plain.lock(); // with a token in reserve for the next one
      boolean entered = lock.readLock().tryLock(5, TimeUnit.SECONDS);
      plain.unlock();
      reads.complete(entered);
      Rig.join(looked);
      lock.readLock().unlock();
      return true;
    });
    first.awaitParked();
    Task<Boolean> second = Task.run(() -> {
      plain.lock();
      Rig.join(looked);
      plain.unlock();
      return true;
    });
    second.awaitParked();
    plain.unlock();
    assertThat(Rig.join(reads)).isTrue();
    HoldInfo reader = other.locks().inspect("x").orElseThrow();
    looked.complete(true);
    assertThat(reader.capacity()).isEqualTo(READER.capacity());
    assertThat(reader.others()).isEmpty();
    assertThat(first.get()).isTrue();
    assertThat(second.get()).isTrue();
  }

  @Test
  @DisplayName("R3 a writer whose reply as a reader is lost has one hold more, and gives both back")
  void downgradesThoughTheReplyIsLost() throws Exception {
    lock.writeLock().lock();
    client.backend().next(Operation.ATTEMPT, Fault.replyLost());
    assertThat(lock.readLock().tryLock(5, TimeUnit.SECONDS)).isTrue();
    assertThat(other.locks().inspect("x").orElseThrow().others()).hasSize(1);
    lock.readLock().unlock();
    assertThat(other.locks().tryAcquire(READER)).isEmpty();
    lock.writeLock().unlock();
    assertThat(client.isFree("x")).isTrue();
  }

  @Test
  @DisplayName("R3 a reader that asks to write is refused at once, and reads on")
  void refusesAnUpgrade() throws Exception {
    lock.readLock().lock();
    DistributedLock write = lock.writeLock();
    assertThatThrownBy(() -> write.tryLock(1, TimeUnit.SECONDS))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("lock 'x'")
        .hasMessageContaining("unlock the read lock first");
    assertThatThrownBy(write::tryLock).isInstanceOf(IllegalStateException.class);
    assertThat(lock.readLock().isHeldByCurrentThread()).isTrue();
    assertThat(Task.run(write::tryLock).get()).isFalse(); // another thread may well ask
    lock.readLock().unlock();
    write.lock();
    write.unlock();
    try (Lease lease = client.locks().acquire(READER.withOwner("saga"))) {
      assertThat(lease.isValid()).isTrue();
      assertThatThrownBy(() -> client.locks().acquireAsync(WRITER.withOwner("saga")))
          .isInstanceOf(IllegalStateException.class);
      int attempts = client.backend().calls(Operation.ATTEMPT);
      List<LockRequest> all = List.of(LockRequest.of("a"), WRITER.withOwner("saga"));
      assertThatThrownBy(() -> client.locks().acquireAll(all))
          .isInstanceOf(IllegalStateException.class);
      assertThat(client.backend().calls(Operation.ATTEMPT)).isEqualTo(attempts);
    }
  }

  @Test
  @DisplayName("R3 a named owner reads beside its hold in another client, also behind a writer")
  void ownersReadElsewhere() throws Exception {
    Lease outer = client.locks().acquire(READER.withOwner("saga"));
    CompletableFuture<Lease> writer = other.locks().acquireAsync(WRITER);
    awaitWaiters(1);
    Lease inner = other.locks().tryAcquire(READER.withOwner("saga")).orElseThrow();
    assertThat(inner.fencingToken()).isEqualTo(outer.fencingToken());
    outer.release();
    assertThat(writer).isNotDone();
    inner.release();
    Rig.join(writer).release();
    Lease written = client.locks().acquire(WRITER.withOwner("saga"));
    Lease read = other.locks().tryAcquire(READER.withOwner("saga")).orElseThrow();
    written.release();
    assertThat(client.locks().tryAcquire(WRITER)).isEmpty();
    read.release();
  }

  @Test
  @DisplayName("R3 the write lock is the plain lock of its name")
  void writesByEitherView() {
    DistributedLock plain = client.locks().lock("x");
    plain.lock();
    lock.writeLock().lock();
    assertThat(plain.holdCount()).isEqualTo(2);
    lock.writeLock().unlock();
    plain.unlock();
    assertThat(lock.writeLock()).isEqualTo(plain).isNotEqualTo(lock.readLock());
    assertThat(lock.readLock().toString()).contains("reading");
  }

  @Test
  @DisplayName("M1, M2 inspection tells all readers, and force takes one by its token, or all")
  void tellsAllHolders() throws Exception {
    Lease first = client.locks().acquire(READER.withOwner("first"));
    Lease second = other.locks().acquire(READER.withOwner("second"));
    Lease third = other.locks().acquire(READER.withOwner("third"));
    HoldInfo info = client.locks().inspect("x").orElseThrow();
    assertThat(info.owner()).isEqualTo("first");
    assertThat(info.units()).isEqualTo(1);
    assertThat(info.capacity()).isEqualTo(READER.capacity());
    assertThat(info.others()).extracting(HoldInfo::owner).containsExactly("second", "third");
    assertThat(client.locks().forceRelease("x", second.fencingToken())).isTrue();
    assertThat(Rig.join(second.lost())).isEqualTo(LostReason.FORCED);
    assertThat(first.isValid()).isTrue();
    assertThat(third.isValid()).isTrue();
    assertThat(client.locks().forceRelease("x")).isTrue();
    Rig.join(first.lost());
    Rig.join(third.lost());
    assertThat(client.isFree("x")).isTrue();
  }

  @Test
  @DisplayName("M1 a reader that came first is told though its owner also writes in this client")
  void tellsAReaderBesideItsWriter() throws Exception {
    Lease read = other.locks().acquire(READER.withOwner("saga"));
    Lease written = client.locks().acquire(WRITER.withOwner("saga"));
    HoldInfo info = client.locks().inspect("x").orElseThrow();
    assertThat(info.fencingToken()).isEqualTo(read.fencingToken());
    assertThat(info.others())
        .singleElement()
        .satisfies(one -> assertThat(one.fencingToken()).isEqualTo(written.fencingToken()));
    written.release();
    read.release();
  }

  @Test
  @DisplayName("M6 the ends of readers are told before the begin of the writer behind them")
  void tellsTheEndFirst() throws Exception {
    List<String> told = new CopyOnWriteArrayList<>();
    LockListener listener = new LockListener() {
      @Override
      public void acquired(String name, long token, Duration waited) {
        told.add("+" + token);
      }

      @Override
      public void released(String name, long token, Duration held) {
        told.add("-" + token);
      }
    };
    Rig.Client heard = rig.open(Duration.ofSeconds(30), listener);
    Lease first = heard.locks().acquire(READER);
    Lease second = heard.locks().acquire(READER);
    CompletableFuture<Lease> writer = heard.locks().acquireAsync(WRITER);
    awaitWaiters(1);
    second.release();
    first.release();
    Lease written = Rig.join(writer);
    written.release();
    assertThat(told)
        .containsExactly(
            "+" + first.fencingToken(),
            "+" + second.fencingToken(),
            "-" + second.fencingToken(),
            "-" + first.fencingToken(),
            "+" + written.fencingToken(),
            "-" + written.fencingToken());
  }

  @Test
  @DisplayName("R5 waits of readers and writers that are cancelled leave the queue to those behind")
  void skipsWhoeverLeaves() throws Exception {
    Lease reader = client.locks().acquire(READER);
    CompletableFuture<Lease> writer = other.locks().acquireAsync(WRITER);
    awaitWaiters(1);
    CompletableFuture<Lease> behind = client.locks().acquireAsync(READER);
    awaitWaiters(2);
    writer.cancel(true);
    Rig.join(behind).release();
    reader.release();
  }

  @Test
  void requestsTellTheirKind() {
    assertThat(WRITER.kind()).isEqualTo(LockKind.EXCLUSIVE);
    assertThat(READER.kind()).isEqualTo(LockKind.SHARED);
    assertThat(READER)
        .isNotEqualTo(WRITER)
        .isEqualTo(LockRequest.of("x").shared().fair(true));
  }
}
