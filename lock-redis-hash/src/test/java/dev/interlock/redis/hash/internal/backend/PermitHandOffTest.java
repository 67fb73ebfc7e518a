package dev.interlock.redis.hash.internal.backend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.HoldInfo;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockConfig;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import dev.interlock.redis.hash.RedisHashProvider;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HandOffBackend;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.LockClients;
import dev.interlock.spi.Release;
import dev.interlock.spi.RenewalResult;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** To whom permits go on: within a client, by a release, or not at all. */
@Timeout(120)
class PermitHandOffTest extends TwoClients {
  private static final int READERS = Integer.MAX_VALUE;
  private static final Duration SHORT = Duration.ofMillis(1_500);

  @Test
  void C3_permitsMayBePassedToThoseOfTheSameClientWhoAreNextAndTakeAsMany() throws Exception {
    List<HoldId> held = List.of(one.id(), one.id());
    held.forEach(id -> one.permits("n", id, 1, 2));
    HoldId first = two.id();
    HoldId second = two.id();
    HoldId both = two.id();
    two.permits("n", first, 1, 2);
    two.permits("n", second, 1, 2);
    two.permits("n", both, 2, 2);

    one.release("n", held.get(0));
    Grant passable = two.grant().grant();
    assertThat(passable.id()).isEqualTo(first);
    assertThat(passable.heirs()).containsExactly(second);
    assertThat(passable.tokens()).isEqualTo(2);
    one.release("n", held.get(1));
    Grant again = two.grant().grant();
    assertThat(again.id()).as("it keeps its place until a release tells").isEqualTo(second);
    assertThat(again.heirs()).as("the next one takes more").isEmpty();
    assertThat(again.fencingToken()).isGreaterThan(passable.fencingToken() + 1);
    Release passed = Release.of("n", first).withPassed(List.of(second));
    assertThat(HandOffBackend.release(two.backend, passed).granted().id()).isEqualTo(both);
    assertThat(one.backend.inspect("n").orElseThrow().units()).isEqualTo(2);
  }

  @Test
  void C1_noPermitIsPassedWhereThereIsRoomForTheNextOne() throws Exception {
    HoldId all = one.id();
    one.permits("n", all, 3, 3);
    List<HoldId> queue = List.of(two.id(), two.id(), two.id());
    queue.forEach(id -> two.permits("n", id, 1, 3));
    one.release("n", all);
    for (HoldId id : queue) {
      Grant grant = two.grant().grant();
      assertThat(grant.id()).isEqualTo(id);
      assertThat(grant.heirs()).isEmpty();
    }
  }

  @Test
  void M1_permitsOfNamedOwnersAreNotPassedSoThatTheServerKnowsWhoHasThem() throws Exception {
    try (LockClient client = Locks.open(server.uri("redis-hash"));
        LockClient other = Locks.open(server.uri("redis-hash"))) {
      Lease held = client.acquire(job(1));
      List<CompletableFuture<Lease>> waiting = new ArrayList<>();
      for (int waiters = 1; waiters <= 3; waiters++) {
        waiting.add(client.acquireAsync(job(waiters + 1)));
        while (info(other).waiters() < waiters) {
          Thread.sleep(1);
        }
      }
      for (int i = 0; i < waiting.size(); i++) {
        held.release();
        held = waiting.get(i).get(10, TimeUnit.SECONDS);
        assertThat(info(other).owner()).isEqualTo("job-" + (i + 2));
        assertThat(info(other).fencingToken()).isEqualTo(held.fencingToken());
      }
      held.release();
    }
  }

  @Test
  void M1_inspectTellsToWhomThisClientHasPassedAPermit() throws Exception {
    int passes = 0;
    try (LockClient client = Locks.open(server.uri("redis-hash"));
        LockClient other = Locks.open(server.uri("redis-hash"))) {
      // A slow machine is too late for the client to pass a permit.
      for (int round = 0; round < 50 && passes == 0; round++) {
        String name = "told " + round;
        LockRequest permit = LockRequest.of(name).permits(1, 2);
        Lease beside = client.acquire(permit);
        Lease before = client.acquire(permit);
        List<CompletableFuture<Lease>> waiting = new ArrayList<>();
        for (int waiters = 1; waiters <= 2; waiters++) {
          waiting.add(client.acquireAsync(permit));
          while (other.inspect(name).orElseThrow().waiters() < waiters) {
            Thread.sleep(1);
          }
        }
        before.release();
        waiting.get(0).get(10, TimeUnit.SECONDS).release();
        Lease last = waiting.get(1).get(10, TimeUnit.SECONDS);
        assertThat(tokens(client.inspect(name).orElseThrow()))
            .containsExactlyInAnyOrder(beside.fencingToken(), last.fencingToken());
        boolean known = tokens(other.inspect(name).orElseThrow()).contains(last.fencingToken());
        passes += known ? 0 : 1;
        beside.release();
        last.release();
      }
    }
    assertThat(passes).isPositive();
  }

  private static List<Long> tokens(HoldInfo info) {
    return Stream.concat(Stream.of(info), info.others().stream())
        .map(HoldInfo::fencingToken)
        .toList();
  }

  @Test
  void C2_aPermitThatTheServerGrantsToOneWhoWasPassedOneGoesBack() throws Exception {
    List<List<HoldId>> abandoned = new CopyOnWriteArrayList<>();
    try (LockClient client = recording(abandoned)) {
      // A slow machine is too late for the client to pass a permit, or to hear of the grant.
      for (int round = 0; round < 20 && abandoned.isEmpty(); round++) {
        grantToOneWhoWasPassedOne(client, 1);
      }
    }
    assertThat(abandoned).isNotEmpty();
    assertThat(one.backend.inspect("n")).isEmpty();
  }

  @Test
  void C2_aPermitThatGoesBackIsNotGrantedToOthersWhoWerePassedOne() throws Exception {
    List<List<HoldId>> abandoned = new CopyOnWriteArrayList<>();
    try (LockClient client = recording(abandoned)) {
      for (int round = 0; round < 50 && !anyTogether(abandoned); round++) {
        grantToOneWhoWasPassedOne(client, 3);
      }
    }
    assertThat(anyTogether(abandoned)).isTrue();
    assertThat(one.backend.inspect("n")).isEmpty();
  }

  private static boolean anyTogether(List<List<HoldId>> abandoned) {
    return abandoned.stream().anyMatch(ids -> ids.size() > 1);
  }

  @Test
  void C2_whatIsRemovedInOneStepIsNotGrantedByIt() throws Exception {
    List<HoldId> held = List.of(one.id(), one.id());
    held.forEach(id -> one.permits("n", id, 1, 2));
    List<HoldId> queue = List.of(two.id(), two.id(), two.id());
    queue.forEach(id -> two.permits("n", id, 1, 2));
    HoldId last = one.id();
    one.permits("n", last, 1, 2);
    one.release("n", held.get(0));
    assertThat(two.grant().grant().id()).isEqualTo(queue.get(0));
    HandOffBackend.abandon(two.backend, "n", queue);
    assertThat(one.grant().grant().id()).isEqualTo(last);
    assertThat(two.grants).isEmpty();
    assertThat(one.backend.inspect("n").orElseThrow().waiters()).isZero();
  }

  /** Passes a permit on so often, before the server grants one to the first who was passed one. */
  private void grantToOneWhoWasPassedOne(LockClient client, int passes) throws Exception {
    List<HoldId> held = List.of(one.id(), one.id());
    held.forEach(id -> one.permits("n", id, 1, 2));
    List<CompletableFuture<Lease>> waiting = new ArrayList<>();
    for (int waiters = 1; waiters <= passes + 2; waiters++) {
      waiting.add(client.acquireAsync(LockRequest.of("n").permits(1, 2)));
      while (one.backend.inspect("n").orElseThrow().waiters() < waiters) {
        Thread.sleep(1);
      }
    }
    one.release("n", held.get(0));
    Lease passed = waiting.get(0).get(10, TimeUnit.SECONDS);
    for (int pass = 1; pass <= passes; pass++) {
      passed.release();
      passed = waiting.get(pass).get(10, TimeUnit.SECONDS);
    }
    // They still stand in the queue, before the last one, until their client removes them.
    one.release("n", held.get(1));
    waiting.get(passes + 1).get(10, TimeUnit.SECONDS).release();
    passed.release();
  }

  /** A client that notes what it abandons. */
  private static LockClient recording(List<List<HoldId>> abandoned) {
    LockConfig config = TestClient.config(server).build();
    RedisHashProvider provider = new RedisHashProvider();
    return LockClients.open(provider, config, context -> {
      LockBackend backend = provider.open(config, context);
      return (LockBackend) Proxy.newProxyInstance(
          PermitHandOffTest.class.getClassLoader(),
          new Class<?>[] {HandOffBackend.class},
          (self, method, arguments) -> {
            if (method.getName().equals("abandon")) {
              abandoned.add(ids(arguments[1]));
            }
            try {
              return method.invoke(backend, arguments);
            } catch (InvocationTargetException e) {
              throw e.getTargetException();
            }
          });
    });
  }

  private static List<HoldId> ids(Object argument) {
    return argument instanceof HoldId one
        ? List.of(one)
        : ((List<?>) argument).stream().map(HoldId.class::cast).toList();
  }

  private static LockRequest job(int number) {
    return LockRequest.of("p").permits(1, 1).withOwner("job-" + number);
  }

  private static HoldInfo info(LockClient client) {
    return client.inspect("p").orElseThrow();
  }

  @Test
  void C2_N3_whatHasLapsedIsNotBroughtBackByItsReleaseOrItsRenewal() throws Exception {
    for (int capacity : List.of(1, 2, READERS)) {
      server.command("FLUSHALL");
      two.grants.clear();
      HoldId before = one.id();
      one.queue("n", before);
      HoldId released = two.id();
      HoldId renewed = two.id();
      for (HoldId id : List.of(released, renewed)) {
        two.backend.attempt(
            TestClient.fair("n", id, SHORT, TestClient.PATIENT).withUnits(1, capacity));
        if (capacity == 1) {
          break;
        }
      }
      one.release("n", before);
      assertThat(two.grant().grant().id()).isEqualTo(released);
      Thread.sleep(SHORT.toMillis() + 50); // the server's clock decides
      assertThat(two.release("n", released).held()).isFalse();
      assertThat(two.renew("n", renewed)).isInstanceOf(RenewalResult.Gone.class);
      assertThat(two.renew("n", released)).isInstanceOf(RenewalResult.Gone.class);
      assertThat(one.backend.inspect("n")).isEmpty();
      assertThat(one.permits("n", one.id(), 1, 1)).isInstanceOf(Grant.class);
    }
  }
}
