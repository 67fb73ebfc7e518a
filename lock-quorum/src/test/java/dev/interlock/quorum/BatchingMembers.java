package dev.interlock.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.LockConfig;
import dev.interlock.quorum.internal.member.Members;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.BackendContext;
import dev.interlock.spi.BackendEvents;
import dev.interlock.spi.ClientId;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.LockBackend;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A quorum of three members in this JVM that answer batches, and another way to each of them. */
public abstract class BatchingMembers {
  protected static final String NAME = "a";

  /** Longer than a test: nothing ends by itself. */
  protected static final Duration LEASE = Duration.ofSeconds(50);

  private static final AtomicInteger TESTS = new AtomicInteger();
  private static final AtomicLong IDS = new AtomicLong();

  private final String namespace = "batching" + TESTS.incrementAndGet() + "-";

  /** What happens to the batches of the quorum. */
  protected final List<BatchingProvider.Way> ways =
      each().mapToObj(i -> BatchingProvider.of("ours", namespace + i)).toList();

  protected LockBackend quorum;

  /** The members, asked by another client. */
  protected List<LockBackend> servers;

  private static IntStream each() {
    return IntStream.range(0, 3);
  }

  @BeforeEach
  protected final void openAll() {
    quorum = open(
        "ours",
        ThreeRedis.quorum(
            each().mapToObj(i -> "batching://?namespace=" + namespace + i).toList(), ""));
    servers = each()
        .mapToObj(i -> open("direct", "local://?namespace=" + namespace + i))
        .toList();
  }

  @AfterEach
  protected final void closeAll() {
    quorum.close();
    servers.forEach(LockBackend::close);
  }

  private static LockBackend open(String client, String uri) {
    LockBackend opened =
        BackendContext.of(new ClientId(client, "test")).open(LockConfig.parse(uri));
    opened.subscribe(BackendEvents.IGNORED);
    return opened;
  }

  protected static Attempt attempt() {
    return Attempt.of(NAME, new HoldId(1, IDS.incrementAndGet()), "owner", LEASE);
  }

  protected final void takeAndRelease() throws InterruptedException {
    Attempt held = attempt();
    assertThat(quorum.attempt(held)).isInstanceOf(Grant.class);
    for (LockBackend server : servers) { // a grant is answered once enough members have voted
      while (server.inspect(NAME).isEmpty()) {
        TimeUnit.MILLISECONDS.sleep(1);
      }
    }
    assertThat(quorum.release(NAME, held.id())).isTrue();
    awaitFree(); // and so is a release
  }

  /** Until nobody has the lock on any member. */
  protected final void awaitFree() throws InterruptedException {
    for (LockBackend server : servers) {
      awaitFree(server);
    }
  }

  protected static void awaitFree(LockBackend server) throws InterruptedException {
    while (server.inspect(NAME).isPresent()) {
      TimeUnit.MILLISECONDS.sleep(1);
    }
  }

  /** As the quorum knows its members. */
  protected final Members quorumMembers() {
    return ((QuorumBackend) quorum).members();
  }
}
