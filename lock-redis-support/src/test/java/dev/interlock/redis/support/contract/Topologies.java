package dev.interlock.redis.support.contract;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.BackendUnavailableException;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockException;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.redis.support.KeyLayout;
import dev.interlock.spi.BackendContext;
import dev.interlock.spi.ClientId;
import dev.interlock.spi.HoldPage;
import dev.interlock.spi.HoldQuery;
import dev.interlock.spi.LockBackend;
import dev.interlock.tck.Effort;
import dev.interlock.tck.RuleInfo;
import dev.interlock.tck.RuleResult;
import dev.interlock.tck.Rules;
import dev.interlock.tck.TckBackend;
import dev.interlock.tck.TckResult;
import dev.interlock.tck.TckRunner;
import dev.interlock.tck.Verdict;
import dev.interlock.testservers.RedisCluster;
import dev.interlock.testservers.RedisSentinels;
import dev.interlock.testservers.RedisServer;
import java.io.IOException;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What the tests of the Redis providers share that have several clients or servers. */
public final class Topologies {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final long STEP_NANOS = 200_000;
  private static final KeyLayout LAYOUT = new KeyLayout("interlock");

  private static final BackendContext OPERATOR =
      BackendContext.of(new ClientId("0123456789abcdef", "operator"));

  private Topologies() {}

  /** The key of a lock in the default namespace. */
  public static String key(String name) {
    return new String(LAYOUT.keys(name).lock(), UTF_8);
  }

  /**
   * Checks the rules of SPEC.md of the groups X, L, O and W.
   *
   * @param masterOf finds the server that has a key
   * @param masters all servers that have keys
   */
  static void holdRules(
      String uri, Function<String, RedisServer> masterOf, Supplier<List<RedisServer>> masters) {
    TckBackend backend = TckBackend.at(uri)
        .inspectWith(
            name -> masterOf.apply(key(name)).command("EXISTS", key(name)).equals("1"))
        .countWith(() -> masters.get().stream()
            .mapToLong(master -> Long.parseLong(master.command("DBSIZE")))
            .sum())
        .timeScale(2.0); // a build shares its machine with other work
    Set<String> rules = Rules.all().stream()
        .map(RuleInfo::id)
        .filter(id -> "XLOW".indexOf(id.charAt(0)) >= 0)
        .collect(Collectors.toSet());
    TckResult result = TckRunner.of(backend).effort(Effort.QUICK).only(rules).run();
    assertThat(result.rules())
        .allSatisfy(rule -> assertThat(rule)
            .as("seed " + result.seed())
            .matches(Topologies::isGood, "passed, but for faults that the kit has not here"));
  }

  /** Locks of all masters are listed, a few keys at a time, before a slot moves and behind that. */
  public static void locksOfAllMastersAreListed(RedisCluster cluster, String uri) {
    Set<String> names = new TreeSet<>();
    try (LockClient holder = Locks.open(uri)) {
      for (int i = 0; i < 40; i++) {
        names.add("listed-" + i);
        assertThat(
                holder.tryAcquire(LockRequest.of("listed-" + i).withLease(Duration.ofMinutes(5))))
            .isPresent();
      }
      try (LockBackend backend = OPERATOR.open(uri)) {
        assertThat(listed(backend)).isEqualTo(names);
        int slot = cluster.slotOf(key("listed-0"));
        RedisServer target = cluster.masters().stream()
            .filter(master -> master != cluster.masterOf(slot))
            .findFirst()
            .orElseThrow();
        cluster.beginMigration(slot, target);
        cluster.finishMigration(slot, target);
        await(() -> listed(backend).equals(names));
      }
    }
  }

  private static Set<String> listed(LockBackend backend) {
    Set<String> names = new TreeSet<>();
    HoldQuery query = HoldQuery.of(5).withPrefix("listed-");
    while (true) {
      HoldPage page = backend.list(query).orElseThrow();
      page.holds().forEach(hold -> names.add(hold.name()));
      if (page.next().isEmpty()) {
        return names;
      }
      query = query.withAfter(page.next().orElseThrow());
    }
  }

  /**
   * Checks that a grant waits for the replicas of its own master, and not for those of others.
   *
   * @param cluster has replicas
   */
  public static void grantsNeedTheReplicasOfTheirOwnMasterOnly(RedisCluster cluster, String uri) {
    RedisServer master = cluster.masterOf(cluster.slotOf(key("r-0")));
    RedisServer replica = cluster.replicaOf(master).orElseThrow();
    try (LockClient brief = Locks.open(uri + "&replicas=1&replicaTimeout=PT0.5S");
        LockClient patient = Locks.open(uri + "&replicas=1&replicaTimeout=PT20S")) {
      replica.pause();
      for (int i = 0; i < 10; i++) {
        LockRequest request = LockRequest.of("r-" + i);
        if (cluster.masterOf(cluster.slotOf(key("r-" + i))) == master) {
          assertThatThrownBy(() -> brief.tryAcquire(request))
              .isInstanceOf(BackendUnavailableException.class)
              .hasMessageContaining("only 0 had it in time; it was given back");
        } else {
          patient.tryAcquire(request).orElseThrow().release();
        }
      }
    } finally {
      replica.resume();
    }
  }

  private static boolean isGood(RuleResult rule) {
    return rule.verdict() == Verdict.PASS
        || (rule.verdict() == Verdict.INCONCLUSIVE
            && rule.toString().contains("for want of the faults"));
  }

  /** A port on which nobody listens. */
  static int freePort() throws IOException {
    try (ServerSocket free = new ServerSocket(0)) {
      return free.getLocalPort();
    }
  }

  /** Waits for a condition; what a lock cannot answer now counts as a no. */
  public static void await(BooleanSupplier condition) {
    long deadline = System.nanoTime() + LIMIT.toNanos();
    while (!holds(condition)) {
      assertThat(System.nanoTime() - deadline).as("in time").isNegative();
      LockSupport.parkNanos(STEP_NANOS);
    }
  }

  private static boolean holds(BooleanSupplier condition) {
    try {
      return condition.getAsBoolean();
    } catch (LockException notYet) {
      return false;
    }
  }

  /** Waits until so many wait for a lock that somebody holds. */
  public static void awaitWaiters(LockClient client, String name, int waiters) {
    await(() -> client.inspect(name).orElseThrow().waiters() >= waiters);
  }

  /**
   * Hands a lock off to a waiter that is called: one that nobody calls looks again after three
   * seconds. A machine that stands still may be late, not each time.
   *
   * @return the waiter's lease
   */
  static Lease handOffSoon(LockClient holder, LockClient waiter, String name) throws Exception {
    for (int tries = 1; ; tries++) {
      Lease held = holder.acquire(LockRequest.of(name).withLease(Duration.ofMinutes(5)));
      CompletableFuture<Lease> waiting = waiter.acquireAsync(LockRequest.of(name));
      awaitWaiters(holder, name, 1);
      long start = System.nanoTime();
      held.release();
      Lease next = waiting.get(20, TimeUnit.SECONDS);
      Duration took = Duration.ofNanos(System.nanoTime() - start);
      assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
      if (took.compareTo(Duration.ofSeconds(2)) < 0) {
        return next;
      }
      assertThat(tries).as("hand-offs that took as long as the last: " + took).isLessThan(4);
      next.release();
    }
  }

  /** Waits until the replicas have all that the master has written so far. */
  public static void awaitWrites(RedisSentinels set) {
    RedisServer master = set.master();
    set.replicas().forEach(replica -> awaitWrites(master, replica));
  }

  /** Waits until a replica has all that its master has written so far. */
  public static void awaitWrites(RedisServer master, RedisServer replica) {
    long written = offset(master, "master_repl_offset");
    await(() -> offset(replica, "slave_repl_offset") >= written);
  }

  /** Releases; the client may not have heard of the new master. */
  public static void release(Lease lease) {
    try {
      lease.release();
    } catch (BackendUnavailableException | OutcomeUnknownException e) {
      assertThat(e).isNotNull(); // it is repeated in the background
    }
  }

  private static long offset(RedisServer server, String field) {
    return server
        .command("INFO", "replication")
        .lines()
        .filter(line -> line.startsWith(field + ":"))
        .mapToLong(line -> Long.parseLong(line.substring(field.length() + 1)))
        .findFirst()
        .orElse(-1);
  }

  /**
   * Threads that raise a counter in two steps, which loses counts unless the lock excludes the
   * others.
   */
  public static final class Crowd {
    private final AtomicBoolean goOn = new AtomicBoolean(true);
    private final AtomicInteger guarded = new AtomicInteger();
    private final AtomicInteger entries = new AtomicInteger();
    private final Set<LockClient> clients;
    private final Set<LockClient> holders = ConcurrentHashMap.newKeySet();
    private final List<CompletableFuture<Void>> threads;

    private Crowd(String name, List<LockClient> clients) {
      this.clients = Set.copyOf(clients);
      threads = clients.stream()
          .map(client -> CompletableFuture.runAsync(() -> count(client, name), Crowd::start))
          .toList();
    }

    /** Not in the common pool: on two processors it may have one thread, and nobody contends. */
    private static void start(Runnable task) {
      Thread thread = new Thread(task, "crowd");
      thread.setDaemon(true);
      thread.start();
    }

    /** Starts two threads for each client. */
    public static Crowd on(String name, LockClient... clients) {
      return new Crowd(
          name, Stream.of(clients).flatMap(one -> Stream.of(one, one)).toList());
    }

    /** Waits until the lock was held so many more times. */
    public void awaitEntries(int more) {
      int target = entries.get() + more;
      awaitAlive(() -> entries.get() >= target);
    }

    /** Waits for a condition, or fails with what one of the threads failed with. */
    private void awaitAlive(BooleanSupplier condition) {
      await(() -> {
        threads.stream().filter(CompletableFuture::isDone).forEach(CompletableFuture::join);
        return condition.getAsBoolean();
      });
    }

    /** Ends the threads once each client has had the lock, and checks that no count was lost. */
    public void end() throws Exception {
      awaitAlive(() -> holders.equals(clients));
      goOn.set(false);
      for (CompletableFuture<Void> thread : threads) {
        thread.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
      }
      assertThat(guarded.get()).isEqualTo(entries.get());
    }

    private void count(LockClient client, String name) {
      while (goOn.get()) {
        try (Lease lease = client.acquire(LockRequest.of(name).withWait(LIMIT))) {
          int read = guarded.get();
          TimeUnit.MILLISECONDS.sleep(1);
          guarded.set(read + 1);
          entries.incrementAndGet();
          holders.add(client);
          assertThat(lease.isValid()).isTrue();
        } catch (BackendUnavailableException | OutcomeUnknownException e) {
          assertThat(e).isNotNull(); // the servers change; whatever was counted was counted
        } catch (InterruptedException e) {
          return;
        }
      }
    }
  }
}
