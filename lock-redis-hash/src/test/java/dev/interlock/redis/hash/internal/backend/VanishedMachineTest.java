package dev.interlock.redis.hash.internal.backend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import dev.interlock.contract.Lateness;
import dev.interlock.contract.Undisturbed;
import dev.interlock.redis.support.contract.GatedProxy;
import dev.interlock.redis.support.contract.Topologies;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestRedis;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Clients that wait on a machine that vanishes: to the server their connections stay open, and it
 * counts them among those who listen.
 */
@Tag("thorough")
@Timeout(120)
class VanishedMachineTest {
  /** More than may each be granted a lock in vain, one after the other. */
  private static final int CLIENTS = 6;

  private static final Duration BOUND = Duration.ofSeconds(8);

  /** It ends once the machine is gone. */
  private static final Duration BRIEF = Duration.ofSeconds(5);

  private final List<LockClient> vanishing = new ArrayList<>();
  private final Map<String, CompletableFuture<Lease>> next = new LinkedHashMap<>();
  private RedisServer server;
  private GatedProxy proxy;
  private LockClient holder;
  private LockClient living;

  @BeforeEach
  void open() throws Exception {
    server = TestRedis.builder().owned().start();
    proxy = GatedProxy.before(server.port());
    holder = Locks.open(server.uri("redis-hash"));
    living = Locks.open(server.uri("redis-hash"));
    for (int i = 0; i < CLIENTS; i++) {
      vanishing.add(Locks.open("redis-hash://127.0.0.1:" + proxy.port()));
    }
  }

  @AfterEach
  void close() throws Exception {
    proxy.close();
    // Together, for each tries for seconds to reach the server.
    vanishing.parallelStream().forEach(LockClient::close);
    living.close();
    holder.close();
    server.close();
  }

  @Test
  void W2_thoseWhoMayShareTheLockComePastTheVanished() throws Exception {
    holder.acquire(request("read").shared());
    queue("read", request("read"), 1, request("read").shared());
    holder.acquire(request("read much").shared());
    queue("read much", request("read much"), CLIENTS, request("read much").shared());
    holder.acquire(request("permits").permits(1, 4));
    queue("permits", request("permits").permits(4, 4), 1, request("permits").permits(1, 4));
    holder.acquire(request("coming").shared());
    var unused = vanishing.get(0).acquireAsync(request("coming"));
    Topologies.awaitWaiters(holder, "coming", 1);
    // Longer than one that is alive may be silent.
    Thread.sleep(6_000);
    next.forEach((name, behind) -> assertThat(behind).as(name).isNotDone());

    try (Lateness lateness = new Lateness()) {
      proxy.vanish();
      long vanished = System.nanoTime();
      next.put("coming", living.acquireAsync(request("coming").shared()));
      assertAllServed(vanished, lateness);
    }
  }

  @Undisturbed(millis = 300)
  void W2_whoeverWantsTheLockAloneComesPastTheVanishedHoweverItBecomesFree() throws Exception {
    holder.acquire(request("forced"));
    queue("forced", request("forced"), CLIENTS, request("forced"));
    Lease released = holder.acquire(request("released"));
    queue("released", request("released"), CLIENTS, request("released"));
    holder.acquire(request("expired").withLease(BRIEF));
    long expires = System.nanoTime() + BRIEF.toNanos();
    queue("expired", request("expired"), CLIENTS, request("expired"));

    try (Lateness lateness = new Lateness()) {
      proxy.vanish();
      long vanished = System.nanoTime();
      assertThat(vanished - expires).as("the lease is not over").isNegative();
      released.release();
      holder.forceRelease("forced");
      CompletableFuture<Lease> expired = next.remove("expired");
      assertAllServed(vanished, lateness);
      next.put("expired", expired);
      assertAllServed(expires, lateness);
    }
  }

  /** Queues the vanishing, one of each client, and then one that stays. */
  private void queue(String name, LockRequest request, int clients, LockRequest behind)
      throws Exception {
    for (LockClient client : vanishing.subList(0, clients)) {
      var unused = client.acquireAsync(request);
    }
    Topologies.awaitWaiters(holder, name, clients);
    next.put(name, living.acquireAsync(behind));
    Topologies.awaitWaiters(holder, name, clients + 1);
  }

  private void assertAllServed(long since, Lateness lateness) throws Exception {
    for (Map.Entry<String, CompletableFuture<Lease>> one : next.entrySet()) {
      one.getValue().get(60, TimeUnit.SECONDS);
      assertThat(Duration.ofNanos(System.nanoTime() - since))
          .as(one.getKey())
          .isLessThan(BOUND.plusNanos(4 * lateness.nanos()));
    }
  }

  private static LockRequest request(String name) {
    return LockRequest.of(name)
        .withLease(Duration.ofMinutes(2))
        .withWait(Duration.ofMinutes(1))
        .fair(true);
  }
}
