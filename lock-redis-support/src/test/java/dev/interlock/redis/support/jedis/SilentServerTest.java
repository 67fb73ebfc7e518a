package dev.interlock.redis.support.jedis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.interlock.LockConfig;
import dev.interlock.LockException;
import dev.interlock.redis.support.KeyLayout;
import dev.interlock.redis.support.LockKeys;
import dev.interlock.redis.support.contract.FakeRedis;
import dev.interlock.redis.support.jedis.Connections.Use;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.ClientId;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.LockBackend;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol.Command;

/**
 * What many threads have to say together to a server that neither answers nor reads any more. A
 * write to a socket has no time limit.
 */
@Timeout(120)
class SilentServerTest {
  private static final int THREADS = 64;

  /** All of them are more than the system has room for; the server reads the first of them. */
  private static final String LARGE = "x".repeat(400_000);

  /** Asked before the others, and answered once they wait. */
  private static final String FIRST = "first";

  private static final Duration LEASE = Duration.ofSeconds(30);

  /** The time limit of each is a second, and a few follow one another. */
  private static final Duration IN_TIME = Duration.ofSeconds(40);

  private final CountDownLatch over = new CountDownLatch(1);
  private final CountDownLatch gathered = new CountDownLatch(1);
  private FakeRedis server;
  private LockConfig config;

  @BeforeEach
  void open() throws IOException {
    server = new FakeRedis(this::answer);
    config = server
        .config()
        .set(JedisOptions.TIMEOUT, Duration.ofSeconds(1))
        .set(JedisOptions.POOL_SIZE, 2)
        .set(JedisOptions.REPLICAS, 1)
        .build();
  }

  @AfterEach
  void close() throws IOException {
    gathered.countDown();
    over.countDown();
    server.close(); // ends what still writes
  }

  private @Nullable String answer(List<String> words) {
    String last = words.get(words.size() - 1);
    if (last.endsWith(FIRST)) {
      await(gathered);
    } else if (last.length() >= LARGE.length()) {
      await(over);
      return null;
    }
    return switch (words.get(0)) {
      case "GET" -> "$-1\r\n";
      case "WAIT" -> ":0\r\n";
      default -> "+OK\r\n";
    };
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void W11_commandsOfManyThreadsEndInTime() throws Exception {
    try (OwnConnections connections = OwnConnections.open(config, client())) {
      SharedCalls calls = new SharedCalls(
          new JedisCalls(connections), config.get(JedisOptions.TIMEOUT), new RoundTrip(1));
      LockKeys keys = new KeyLayout("t").keys("n");
      assertAllEndInTime(name ->
          calls.run(Use.ATTEMPT, "ask", keys, () -> new CommandArguments(Command.ECHO).add(name)));
    }
  }

  @Test
  void W11_questionsForReplicasOfManyThreadsEndInTime() throws Exception {
    Servers servers = Servers.open(config, client());
    try {
      LockBackend backend = ReplicaWait.before(granting(), config, servers, new KeyLayout("t"));
      HoldId id = new HoldId(1, 2);
      assertAllEndInTime(name -> backend.attempt(Attempt.of(name, id, "owner", LEASE)));
    } finally {
      servers.close();
    }
  }

  private void assertAllEndInTime(Consumer<String> asking) throws Exception {
    FutureTask<Throwable> first =
        new FutureTask<>(() -> catchThrowable(() -> asking.accept(FIRST)));
    start(first);
    List<FutureTask<Throwable>> all = new ArrayList<>();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      all.add(new FutureTask<>(() -> catchThrowable(() -> asking.accept(LARGE))));
      threads.add(start(all.get(i)));
    }
    while (!first.isDone() && !threads.stream().allMatch(SilentServerTest::waits)) {
      TimeUnit.MILLISECONDS.sleep(1);
    }
    gathered.countDown();
    long deadline = System.nanoTime() + IN_TIME.toNanos();
    for (FutureTask<Throwable> one : all) {
      Duration left = Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
      assertThat(one).succeedsWithin(left).isInstanceOf(LockException.class);
    }
  }

  private static Thread start(Runnable work) {
    Thread thread = new Thread(work, "asking");
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  /** For another thread, not for the server. */
  private static boolean waits(Thread thread) {
    return thread.getState() == Thread.State.WAITING
        || thread.getState() == Thread.State.TIMED_WAITING;
  }

  private static ClientId client() {
    return new ClientId("00000000000000aa", "host");
  }

  /** A backend that believes that it has granted the lock. */
  private static LockBackend granting() {
    return (LockBackend) Proxy.newProxyInstance(
        LockBackend.class.getClassLoader(),
        new Class<?>[] {LockBackend.class},
        (proxy, method, arguments) ->
            method.getName().equals("attempt") ? Grant.of("n", new HoldId(1, 2), 7, LEASE) : null);
  }
}
