package dev.interlock.tck.internal.rules;

import dev.interlock.Capability;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.tck.TckFault;
import dev.interlock.tck.internal.fault.FaultProxy;
import dev.interlock.tck.internal.run.Neighbours;
import dev.interlock.tck.internal.run.Rule;
import dev.interlock.tck.internal.run.RuleRun;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Rules W9, W10 and N6: what is counted on the wire. */
public final class CostRules {
  private static final int IDLE = 150;
  private static final int LOCKS = 3;
  private static final int MOST_A_SECOND = 40;
  private static final long MOST_TO_ENQUEUE = 5_000;
  private static final int LEASES = 100;
  private static final int CLIENTS = 6;
  private static final int MOST_WOKEN = 3;
  private static final int WAKING_ROUNDS = 2;

  private CostRules() {}

  @Rule(
      value = "W9",
      check = "whether each waiter looks again by itself, and how often",
      needs = TckFault.CONNECTION,
      timed = true)
  public static void idleWaitersCostLittle(RuleRun run) throws Exception {
    LockClient holder = run.client();
    List<Lease> held = new ArrayList<>();
    for (int i = 0; i < LOCKS; i++) {
      held.add(holder.acquire(Leases.fixed(run, run.name(), 60_000)));
    }
    List<UnaryOperator<LockRequest>> kinds = Leases.kinds(run).values().stream()
        .filter(kind -> kind.apply(LockRequest.of("kind")).owner().isEmpty())
        .toList();
    List<IdleClient> clients = new ArrayList<>();
    clients.add(idle(run, "waiters", held, kinds));
    if (run.has(Capability.SHARED_OWNER)) {
      // Apart from the others, or those would hide what each of these costs.
      clients.add(idle(run, "waiters of named owners", held, owners()));
    }
    long end = System.nanoTime() + run.limit(MOST_TO_ENQUEUE).toNanos();
    while (clients.stream().anyMatch(client -> client.rate > MOST_A_SECOND)
        && System.nanoTime() - end < 0) {
      // Not all of them have come to wait yet.
      measure(clients, run.ms(1_000));
    }
    // Who looks again only now and then does so in here too.
    measure(clients, Duration.ofMillis(run.amount(3_000, 6_000, 20_000)));
    for (IdleClient client : clients) {
      long waiting = client.waits.stream().filter(wait -> !wait.isDone()).count();
      run.expect(waiting == IDLE, "all " + IDLE + " still wait", (IDLE - waiting) + " do not");
    }
    clients.forEach(client -> client.waits.forEach(wait -> wait.cancel(true)));
    held.forEach(Lease::release);
    for (IdleClient client : clients) {
      String measured = "%d idle %s of one client sent %.1f requests a second"
          .formatted(IDLE, client.what, client.rate);
      run.expect(
          client.rate <= MOST_A_SECOND,
          "at most " + MOST_A_SECOND + " requests a second",
          measured);
      run.note(measured);
    }
  }

  /** Half of them wait as one owner, and each of the others as one of its own. */
  private static List<UnaryOperator<LockRequest>> owners() {
    return IntStream.range(0, IDLE / LOCKS)
        .mapToObj(i -> SharedOwnerRules.OWNER + (i % 2 == 0 ? "" : i))
        .<UnaryOperator<LockRequest>>map(owner -> request -> request.withOwner(owner))
        .toList();
  }

  /** Waiters of one client, and how much it sent in the time that was measured last. */
  private static final class IdleClient {
    private final String what;
    private final FaultProxy proxy;
    private final List<CompletableFuture<Lease>> waits;
    private long before;
    private double rate = Double.MAX_VALUE; // requests a second

    IdleClient(String what, FaultProxy proxy, List<CompletableFuture<Lease>> waits) {
      this.what = what;
      this.proxy = proxy;
      this.waits = waits;
    }
  }

  private static IdleClient idle(
      RuleRun run, String what, List<Lease> held, List<UnaryOperator<LockRequest>> kinds)
      throws IOException {
    FaultProxy proxy = run.proxy();
    LockClient client = run.client(proxy);
    List<CompletableFuture<Lease>> waits = new ArrayList<>();
    for (int i = 0; i < IDLE; i++) {
      LockRequest request = LockRequest.of(held.get(i % LOCKS).name())
          .withLease(run.ms(60_000))
          .withWait(run.ms(60_000));
      waits.add(client.acquireAsync(kinds.get(i / LOCKS % kinds.size()).apply(request)));
    }
    return new IdleClient(what, proxy, waits);
  }

  private static void measure(List<IdleClient> clients, Duration time) throws InterruptedException {
    clients.forEach(client -> client.before = client.proxy.requests());
    RuleRun.pause(time);
    clients.forEach(
        client -> client.rate = (client.proxy.requests() - client.before) * 1e3 / time.toMillis());
  }

  @Rule(
      value = "W10",
      check = "whom a release tells",
      neighbours = Neighbours.NONE,
      timed = true,
      needs = TckFault.CONNECTION)
  public static void aReleaseWakesFew(RuleRun run) throws Exception {
    List<FaultProxy> proxies = new ArrayList<>();
    List<LockClient> clients = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      FaultProxy proxy = run.proxy();
      proxies.add(proxy);
      clients.add(run.client(proxy));
    }
    Map<String, UnaryOperator<LockRequest>> kinds = new LinkedHashMap<>();
    kinds.put("a lock", request -> request);
    if (run.has(Capability.FAIR)) {
      kinds.put("a lock in the order of arrival", request -> request.fair(true));
    }
    if (run.has(Capability.PERMITS)) {
      kinds.put("all permits", request -> request.permits(2, 2));
    }
    for (Map.Entry<String, UnaryOperator<LockRequest>> kind : kinds.entrySet()) {
      expectFewWoken(run, proxies, clients, kind);
    }
  }

  private static void expectFewWoken(
      RuleRun run,
      List<FaultProxy> proxies,
      List<LockClient> clients,
      Map.Entry<String, UnaryOperator<LockRequest>> kind)
      throws Exception {
    LockClient holder = run.client();
    long fewest = Long.MAX_VALUE;
    // The fewest of some rounds: a waiter may look again by itself just then.
    for (int round = 0; round < WAKING_ROUNDS; round++) {
      String name = run.name();
      Lease held = holder.acquire(Leases.fixed(run, name, 60_000));
      List<CompletableFuture<Lease>> waits = new ArrayList<>();
      for (LockClient client : clients) {
        LockRequest request = LockRequest.of(name).withLease(run.ms(60_000));
        waits.add(client.acquireAsync(kind.getValue().apply(request.withWait(run.ms(60_000)))));
        RuleRun.pause(Duration.ofMillis(20));
      }
      RuleRun.pause(run.ms(150));
      List<Long> before = proxies.stream().map(FaultProxy::replies).toList();
      held.release();
      CompletableFuture.anyOf(waits.toArray(new CompletableFuture<?>[0]))
          .get(run.limit(10_000).toMillis(), TimeUnit.MILLISECONDS);
      RuleRun.pause(Duration.ofMillis(60));
      long woken = 0;
      for (int i = 0; i < CLIENTS; i++) {
        woken += proxies.get(i).replies() > before.get(i) ? 1 : 0;
      }
      fewest = Math.min(fewest, woken);
      for (CompletableFuture<Void> done : passedOn(waits)) {
        done.get(run.limit(20_000).toMillis(), TimeUnit.MILLISECONDS);
      }
    }
    String measured = "a release was heard of by " + fewest + " of " + CLIENTS
        + " clients that wait for " + kind.getKey();
    run.expect(fewest <= MOST_WOKEN, "at most " + MOST_WOKEN + " clients hear of it", measured);
    run.note(measured);
  }

  private static List<CompletableFuture<Void>> passedOn(List<CompletableFuture<Lease>> waits) {
    return waits.stream().map(wait -> wait.thenAccept(Leases::release)).toList();
  }

  @Rule(
      value = "N6",
      check = "whether renewals that are due at about the same time go together",
      neighbours = Neighbours.NONE,
      needs = TckFault.CONNECTION,
      timed = true)
  public static void renewalsAreBatched(RuleRun run) throws Exception {
    Map<String, Renewing> clients = new LinkedHashMap<>();
    for (Map.Entry<String, UnaryOperator<LockRequest>> kind : Leases.kinds(run).entrySet()) {
      // The plain ones are the most usual.
      int count = clients.isEmpty() ? LEASES : LEASES / 4;
      clients.put(kind.getKey(), Renewing.begin(run, kind.getValue(), names(run, count)));
    }
    if (run.has(Capability.SHARED_OWNER)) {
      List<String> names = names(run, LEASES / 4);
      LockClient first = run.client();
      for (String name : names) {
        first.acquire(Leases.fixed(run, name, 60_000).withOwner(SharedOwnerRules.OWNER));
      }
      clients.put(
          "a named owner beside itself",
          Renewing.begin(run, request -> request.withOwner(SharedOwnerRules.OWNER), names));
    }
    for (Renewing client : clients.values()) {
      for (CompletableFuture<Lease> lease : client.leases()) {
        lease.get(run.limit(20_000).toMillis(), TimeUnit.MILLISECONDS);
      }
    }
    List<Long> before =
        clients.values().stream().map(client -> client.proxy().requests()).toList();
    RuleRun.pause(run.ms(2_000));
    List<Long> after =
        clients.values().stream().map(client -> client.proxy().requests()).toList();
    int place = 0;
    for (Map.Entry<String, Renewing> client : clients.entrySet()) {
      for (CompletableFuture<Lease> lease : client.getValue().leases()) {
        run.expect(lease.join().isValid(), "a renewed lease is valid", "it is not");
      }
      long sent = after.get(place) - before.get(place);
      place++;
      // Every third of the lease, so four times in these two seconds.
      int renewals = client.getValue().leases().size() * 4;
      String measured =
          "about %d renewals of %s took %d requests".formatted(renewals, client.getKey(), sent);
      run.expect(sent <= renewals / 2, "at most one request for two renewals", measured);
      run.note(measured);
    }
  }

  private static List<String> names(RuleRun run, int count) {
    return Stream.generate(run::name).limit(count).toList();
  }

  /** A client that renews leases of one kind. */
  private record Renewing(FaultProxy proxy, List<CompletableFuture<Lease>> leases) {
    static Renewing begin(RuleRun run, UnaryOperator<LockRequest> kind, List<String> names)
        throws IOException {
      FaultProxy proxy = run.proxy();
      LockClient client = run.client(proxy);
      List<CompletableFuture<Lease>> leases = new ArrayList<>();
      for (String name : names) {
        LockRequest request = Leases.fixed(run, name, 1_500).renewing();
        leases.add(client.acquireAsync(kind.apply(request.withWait(run.ms(20_000)))));
      }
      return new Renewing(proxy, leases);
    }
  }
}
