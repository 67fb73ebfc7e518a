package dev.interlock.redis.support.jedis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.BackendRefusedException;
import dev.interlock.BackendUnavailableException;
import dev.interlock.HostPort;
import dev.interlock.LockConfig;
import dev.interlock.LockException;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.contract.Undisturbed;
import dev.interlock.redis.support.KeyLayout;
import dev.interlock.redis.support.LockKeys;
import dev.interlock.redis.support.contract.GatedProxy;
import dev.interlock.redis.support.jedis.Connections.Use;
import dev.interlock.spi.ClientId;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestRedis;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol.Command;

/**
 * Commands of many threads that share a connection. Each one counts up on the server, so that its
 * answer tells which one it was, and the counter how many ran.
 */
@Timeout(60)
class SharedCallsTest {
  private static final Duration PLENTY = Duration.ofSeconds(20);
  private static final Duration SHORT = Duration.ofMillis(500);
  private static final int THREADS = 16;

  private static RedisServer server;

  private final LockKeys keys = new KeyLayout("t").keys("n");
  private GatedProxy proxy;
  private OwnConnections connections;
  private SharedCalls calls;

  /** A thread with a command, and what came of it. */
  private record Caller(Thread thread, FutureTask<Long> outcome) {
    long answer() throws Exception {
      return outcome.get(20, TimeUnit.SECONDS);
    }

    /** The answer, or the exception. */
    Object result() throws Exception {
      try {
        return answer();
      } catch (java.util.concurrent.ExecutionException e) {
        return e.getCause();
      }
    }
  }

  @BeforeAll
  static void start() {
    server = TestRedis.builder().owned().start();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @BeforeEach
  void connect() throws IOException {
    server.command("FLUSHALL");
    proxy = GatedProxy.before(server.port());
    open(PLENTY);
  }

  private void open(Duration timeout) {
    // A server without a password takes any for its default user.
    LockConfig config = LockConfig.builder("redis-setnx")
        .set(JedisOptions.HOSTS, List.of(HostPort.of("127.0.0.1", proxy.port())))
        .set(JedisOptions.USER, "default")
        .set(JedisOptions.PASSWORD, "any")
        .set(JedisOptions.TIMEOUT, timeout)
        .set(JedisOptions.POOL_SIZE, 2)
        .build();
    connections = OwnConnections.open(config, new ClientId("00000000000000aa", "host"));
    calls = new SharedCalls(new JedisCalls(connections), timeout, new RoundTrip(1));
  }

  @AfterEach
  void disconnect() throws IOException {
    connections.close();
    proxy.close();
  }

  @Test
  void whatGathersWhileACommandIsUnderWayIsSentAtOnce() throws Exception {
    increment();
    int flushes = proxy.flushes();
    List<Caller> callers = gather(THREADS);
    proxy.open();
    assertThat(answers(callers))
        .containsExactlyInAnyOrderElementsOf(
            LongStream.rangeClosed(2, THREADS + 1).boxed().toList());
    assertThat(proxy.flushes() - flushes).isEqualTo(2);
    assertThat(proxy.connections()).isEqualTo(1);
  }

  @Test
  void E3_aCutAmongTheAnswersOfABatchLeavesOnlyTheRestUnknown() throws Exception {
    increment();
    List<Caller> callers = gather(THREADS);
    proxy.cutAfter(4);
    proxy.open();
    List<Object> results = results(callers);
    assertThat(results).filteredOn(Long.class::isInstance).hasSize(4);
    assertThat(results).filteredOn(OutcomeUnknownException.class::isInstance).hasSize(THREADS - 4);
    assertThat(server.command("GET", "n")).as("all of them ran").isEqualTo("" + (THREADS + 1));
    assertThat(increment()).as("the connection is replaced").isEqualTo(THREADS + 2);
  }

  @Test
  void E3_whatWasNotSentWhenTheConnectionWasCutIsSentOnTheNextOne() throws Exception {
    increment();
    List<Caller> callers = gather(THREADS);
    proxy.cut();
    proxy.open();
    List<Object> results = results(callers);
    assertThat(results.get(0)).isInstanceOf(OutcomeUnknownException.class);
    assertThat(results.subList(1, THREADS)).hasOnlyElementsOfType(Long.class);
    assertThat(server.command("GET", "n")).isEqualTo("" + (THREADS + 1));
  }

  @Test
  void E3_withoutAServerNothingThatWaitsToBeSentIsUnknown() throws Exception {
    increment();
    List<Caller> callers = gather(THREADS);
    proxy.close();
    List<Object> results = results(callers);
    assertThat(results.get(0)).isInstanceOf(OutcomeUnknownException.class);
    assertThat(results.subList(1, THREADS))
        .hasOnlyElementsOfType(BackendUnavailableException.class);
    assertThat(server.command("GET", "n")).isEqualTo("2");
  }

  /** It says that the server may serve others, who may hold the lock. */
  @Test
  void E3_aRefusalOfTheConnectionIsOneToAllWhoWaitToBeSent() throws Exception {
    increment();
    List<Caller> callers = gather(THREADS);
    try (RedisServer other = TestRedis.builder().password("another").start()) {
      proxy.leadTo(other.port());
      proxy.cut();
      proxy.open();
      List<Object> results = results(callers);
      assertThat(results.get(0)).isInstanceOf(OutcomeUnknownException.class);
      assertThat(results.subList(1, THREADS)).hasOnlyElementsOfType(BackendRefusedException.class);
    }
  }

  @Undisturbed(millis = 300)
  void E3_withAStalledServerTwoHundredThreadsAllEndInTimeAndItWorksAgainAfterwards()
      throws Exception {
    connections.close();
    open(SHORT);
    increment();
    server.pause();
    long start = System.nanoTime();
    List<Caller> callers;
    try {
      callers = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        callers.add(call(this::increment));
      }
      assertThat(results(callers)).hasOnlyElementsOfType(LockException.class);
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(SHORT.multipliedBy(12));
    } finally {
      server.resume();
    }
    for (Caller caller : callers) {
      caller.thread().join(20_000);
    }
    assertThat(callers).noneMatch(caller -> caller.thread().isAlive());
    assertThat(increment()).isPositive();
    assertThat(proxy.connections()).isLessThan(THREADS);
  }

  @Test
  void W5_anInterruptOfTheSenderOrOfOneThatWaitsChangesNothingButItsFlag() throws Exception {
    increment();
    proxy.hold();
    List<Caller> callers = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      callers.add(call(() -> {
        long answer = increment();
        assertThat(Thread.interrupted()).isTrue();
        return answer;
      }));
      awaitBlocked(callers.get(i));
    }
    callers.forEach(caller -> caller.thread().interrupt());
    TimeUnit.MILLISECONDS.sleep(50); // time to do what they must not
    assertThat(callers).allMatch(caller -> caller.thread().isAlive());
    proxy.open();
    assertThat(answers(callers)).containsExactlyInAnyOrder(2L, 3L, 4L);
  }

  @Test
  void anErrorOfTheSenderStrandsNobody() throws Exception {
    increment();
    List<Caller> callers = gather(4);
    callers.add(call(() -> run(() -> {
      throw new StackOverflowError("on purpose");
    })));
    awaitBlocked(callers.get(4));
    callers.add(call(this::increment));
    awaitBlocked(callers.get(5));
    proxy.open();
    List<Object> results = results(callers);
    assertThat(results.get(0)).isEqualTo(2L);
    assertThat(results.subList(1, 5))
        .filteredOn(StackOverflowError.class::isInstance)
        .as("the one that sent the batch")
        .hasSize(1);
    assertThat(results.subList(1, 5))
        .filteredOn(OutcomeUnknownException.class::isInstance)
        .hasSize(3);
    assertThat(results.get(5)).isInstanceOf(Long.class);
    assertThat(increment()).isPositive();
  }

  @Test
  void E7_closingLetsTheBatchUnderWayEndAndSendsNothingMore() throws Exception {
    increment();
    List<Caller> callers = gather(THREADS);
    connections.close();
    proxy.open();
    List<Object> results = results(callers);
    assertThat(results.get(0)).isEqualTo(2L);
    assertThat(results.subList(1, THREADS))
        .hasOnlyElementsOfType(BackendUnavailableException.class);
    assertThatThrownBy(this::increment).isInstanceOf(BackendUnavailableException.class);
    assertThat(server.command("GET", "n")).isEqualTo("2");
  }

  @Test
  void anErrorAnswerReachesOnlyItsOwnThread() throws Exception {
    increment();
    List<Caller> callers = gather(3);
    callers.add(call(() -> run(() -> new CommandArguments(Command.LLEN).add("n"))));
    awaitBlocked(callers.get(3));
    callers.addAll(more(4));
    proxy.open();
    List<Object> results = results(callers);
    assertThat(results.get(3))
        .isExactlyInstanceOf(LockException.class)
        .asString()
        .contains("WRONGTYPE");
    results.remove(3);
    assertThat(results).hasOnlyElementsOfType(Long.class);
    assertThat(proxy.connections()).isEqualTo(1);
  }

  @Test
  void W7_whatAHolderSendsPassesAttemptsThatGetNoAnswer() throws Exception {
    Caller stuck =
        call(() -> run(() -> new CommandArguments(Command.BLPOP).add("list").add(0)));
    awaitBlocked(stuck);
    List<Caller> attempts = more(2);
    assertThat(calls.run(Use.HOLDER, "count", keys, SharedCallsTest::incr)).isIn(1L, 2L, 3L);
    assertThat(stuck.outcome().isDone()).isFalse();
    server.command("RPUSH", "list", "x");
    assertThat(answers(attempts)).allMatch(answer -> answer <= 3);
    assertThat(stuck.result()).isInstanceOf(ClassCastException.class); // it is no number
  }

  @Test
  void W7_whatHoldersSendComesBeforeAttempts() throws Exception {
    long before;
    List<Long> answers;
    boolean areBlocked;
    long start;
    do { // a holder that has waited for 20 ms goes another way, and may even be served there
      before = increment();
      List<Caller> callers = gather(4);
      start = System.nanoTime();
      for (int i = 0; i < 2; i++) {
        callers.add(call(() -> (Long) calls.run(Use.HOLDER, "count", keys, SharedCallsTest::incr)));
      }
      areBlocked = isBlockedInTheEnd(callers.get(4)) && isBlockedInTheEnd(callers.get(5));
      proxy.open();
      answers = answers(callers);
    } while (!areBlocked || System.nanoTime() - start > 15_000_000);
    assertThat(answers.get(0)).isEqualTo(before + 1);
    assertThat(answers.subList(4, 6)).containsExactlyInAnyOrder(before + 2, before + 3);
  }

  @Test
  void W7_underLoadTheConnectionIsLeftToThoseWhoWaitForOne() throws Exception {
    AtomicBoolean loaded = new AtomicBoolean(true);
    List<Caller> callers = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      callers.add(call(() -> {
        while (loaded.get()) {
          increment();
        }
        return 0L;
      }));
    }
    Connection other = connections.borrow(Use.HOLDER);
    try {
      for (int i = 0; i < 20; i++) {
        Connection shared = connections.borrow(Use.HOLDER);
        connections.giveBack(Use.HOLDER, shared, true);
      }
    } finally {
      connections.giveBack(Use.HOLDER, other, true);
      loaded.set(false);
    }
    assertThat(results(callers)).containsOnly(0L);
  }

  @Test
  void underLoadEveryCommandRunsOnceAndEveryThreadGetsItsOwnAnswer() throws Exception {
    int rounds = 500;
    List<Callable<Long>> work = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      String own = "own" + i;
      work.add(() -> {
        for (long round = 1; round <= rounds; round++) {
          assertThat(run(() -> new CommandArguments(Command.INCR).add(own))).isEqualTo(round);
        }
        return 0L;
      });
    }
    List<Caller> callers = work.stream().map(SharedCallsTest::call).toList();
    assertThat(results(callers)).containsOnly(0L);
  }

  /** One command that is under way, and others behind it, in this order. */
  private List<Caller> gather(int count) {
    proxy.hold();
    return more(count);
  }

  private List<Caller> more(int count) {
    List<Caller> callers = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      callers.add(call(this::increment));
      awaitBlocked(callers.get(i));
    }
    return callers;
  }

  private long increment() {
    return run(SharedCallsTest::incr);
  }

  private static CommandArguments incr() {
    return new CommandArguments(Command.INCR).add("n");
  }

  private long run(Supplier<CommandArguments> command) {
    return (Long) calls.run(Use.ATTEMPT, "count", keys, command);
  }

  private static Caller call(Callable<Long> work) {
    FutureTask<Long> outcome = new FutureTask<>(work);
    Thread thread = new Thread(outcome, "caller");
    thread.setDaemon(true);
    thread.start();
    return new Caller(thread, outcome);
  }

  /** Until it reads from its socket or waits for another thread. */
  private static void awaitBlocked(Caller caller) {
    assertThat(isBlockedInTheEnd(caller)).isTrue();
  }

  /** Whether it comes to that, and does not end before. */
  private static boolean isBlockedInTheEnd(Caller caller) {
    while (!isBlocked(caller.thread())) {
      if (caller.outcome().isDone()) {
        return false;
      }
      LockSupport.parkNanos(200_000);
    }
    return true;
  }

  private static boolean isBlocked(Thread thread) {
    for (StackTraceElement frame : thread.getStackTrace()) {
      if (frame.getMethodName().startsWith("await")
          && frame.getClassName().endsWith("QueuedCommand")) {
        return thread.getState() == Thread.State.TIMED_WAITING;
      }
      if (frame.getMethodName().equals("getUnflushedObject")) {
        return true;
      }
    }
    return false;
  }

  private static List<Long> answers(List<Caller> callers) throws Exception {
    List<Long> answers = new ArrayList<>();
    for (Caller caller : callers) {
      answers.add(caller.answer());
    }
    return answers;
  }

  private static List<Object> results(List<Caller> callers) throws Exception {
    List<Object> results = new ArrayList<>();
    for (Caller caller : callers) {
      results.add(caller.result());
    }
    return results;
  }
}
