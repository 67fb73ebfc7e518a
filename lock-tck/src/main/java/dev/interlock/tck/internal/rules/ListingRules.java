package dev.interlock.tck.internal.rules;

import dev.interlock.Capability;
import dev.interlock.HoldInfo;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.HoldPage;
import dev.interlock.spi.HoldQuery;
import dev.interlock.spi.WaiterInfo;
import dev.interlock.tck.internal.run.DirectBackend;
import dev.interlock.tck.internal.run.NotReached;
import dev.interlock.tck.internal.run.Rule;
import dev.interlock.tck.internal.run.RuleRun;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/** What M1 says of the lists that operators ask for: of held locks, and of those who wait. */
public final class ListingRules {
  private static final long LONG = 60_000;
  private static final long BRIEF = 150;

  /** More than a page, and than two. */
  private static final int MANY = 40;

  private static final int PAGE = 16;
  private static final int WAITING = 5;

  private ListingRules() {}

  @Rule(
      value = "M1",
      check = "that the pages of a list leave out no lock that is held, and tell none that is not",
      timed = true)
  public static void aListTellsWhatIsHeld(RuleRun run) throws Exception {
    if (run.isForeign()) {
      return;
    }
    LockClient client = run.client();
    DirectBackend direct = run.direct();
    // What SQL and Redis take for a pattern unless it is quoted.
    String base = run.name();
    String prefix = base + ":5%_[a]*?:";
    List<String> others = List.of(
        base + ":5%_[a]*", base + ":5%_azzq:1", base + ":5zzq[a]*?:1", base + ":5%_[A]*?:1");
    List<String> names = new ArrayList<>(others);
    // Pages may be in the order of names: some of them have nothing of what is asked for.
    for (int i = 0; i < 2 * PAGE; i++) {
      names.add(base + ":4" + i);
    }
    for (int i = 0; i < MANY; i++) {
      names.add(prefix + i);
    }
    List<UnaryOperator<LockRequest>> kinds = List.copyOf(Leases.kinds(run).values());
    List<Lease> held = SideBySide.each(
        names,
        name -> client.acquire(
            kinds.get(names.indexOf(name) % kinds.size()).apply(Leases.fixed(run, name, LONG))));
    long begun = System.nanoTime();
    client.acquire(Leases.fixed(run, prefix + "released", LONG)).release();
    client.acquire(Leases.fixed(run, prefix + "expired", BRIEF));
    client.acquire(Leases.fixed(run, prefix + "forced", LONG));
    Leases.force(run, client, prefix + "forced");
    RuleRun.pause(run.expiry(2 * BRIEF));
    Duration most = run.expiry(LONG).minus(RuleRun.since(begun)).plus(Leases.ROUNDED);
    Optional<Map<String, HoldInfo>> listed = list(run, direct, prefix, page -> {});
    if (listed.isEmpty()) {
      run.note("it cannot list");
      return;
    }
    for (Lease lease : held.subList(held.size() - MANY, held.size())) {
      HoldInfo told = listed.get().remove(lease.name());
      run.expectWhileHeld(
          lease.name(),
          () -> told != null
              && (!run.has(Capability.FENCED) || told.fencingToken() == lease.fencingToken()),
          "a list tells \"" + lease.name() + "\", with its token",
          "it tells " + told);
      expectRest(run, lease.name(), Optional.ofNullable(told), most);
      expectAsInspected(run, direct, lease.name(), Optional.ofNullable(told));
    }
    String looked = names.get(names.size() - 1);
    expectRest(run, looked, direct.backend().inspect(looked), most);
    run.expect(
        listed.get().isEmpty(),
        "a list tells only what is held and begins with \"" + prefix + "\"",
        "it tells " + listed.get().keySet());
    List<Lease> still = new ArrayList<>(held);
    still.removeAll(
        releaseMeanwhile(run, direct, prefix, held.subList(names.size() - MANY, names.size())));
    SideBySide.each(still, lease -> {
      lease.release();
      return lease;
    });
    run.note(MANY + " held locks were listed, a part at a time");
  }

  /** Releases what the first page tells before the next one is asked for, and returns that. */
  private static List<Lease> releaseMeanwhile(
      RuleRun run, DirectBackend direct, String prefix, List<Lease> held) {
    List<Lease> released = new ArrayList<>();
    Map<String, HoldInfo> listed = list(run, direct, prefix, page -> {
          if (released.isEmpty()) {
            Set<String> told =
                page.holds().stream().map(HoldInfo::name).collect(Collectors.toSet());
            held.stream().filter(lease -> told.contains(lease.name())).forEach(lease -> {
              lease.release();
              released.add(lease);
            });
          }
        })
        .orElseThrow();
    for (Lease lease : held) {
      if (!released.contains(lease)) {
        run.expectWhileHeld(
            lease.name(),
            () -> listed.containsKey(lease.name()),
            "a list tells \"" + lease.name() + "\", also if locks of the page before are released",
            "it does not");
      }
    }
    return released;
  }

  /** A list begins no lease anew. */
  private static void expectRest(RuleRun run, String name, Optional<HoldInfo> told, Duration most) {
    run.expectWhileHeld(
        name,
        () -> told.isPresent() && told.get().remaining().compareTo(most) <= 0,
        "no more remains of a lease that is listed than " + most,
        "told is " + told);
  }

  private static void expectAsInspected(
      RuleRun run, DirectBackend direct, String name, Optional<HoldInfo> listed) {
    Optional<HoldInfo> inspected = direct.backend().inspect(name);
    run.expectWhileHeld(
        name,
        () -> listed.map(ListingRules::lasting).equals(inspected.map(ListingRules::lasting)),
        "a list tells of a lock what inspect tells of it, " + inspected,
        "it tells " + listed);
  }

  /** What does not change while a lock is held. */
  private static List<Object> lasting(HoldInfo info) {
    return List.of(info.owner(), info.host(), info.since(), info.units(), info.capacity());
  }

  /** All pages, and what is done after each; empty if there is no list. */
  private static Optional<Map<String, HoldInfo>> list(
      RuleRun run, DirectBackend direct, String prefix, Consumer<HoldPage> afterPage) {
    Map<String, HoldInfo> listed = new LinkedHashMap<>();
    HoldQuery query = HoldQuery.of(PAGE).withPrefix(prefix);
    long start = System.nanoTime();
    Optional<HoldPage> page = direct.backend().list(query);
    while (page.isPresent()) {
      page.get().holds().forEach(hold -> listed.put(hold.name(), hold));
      afterPage.accept(page.get());
      Optional<String> next = page.get().next();
      if (next.isEmpty()) {
        return Optional.of(listed);
      }
      if (RuleRun.since(start).compareTo(run.ms(LONG / 3)) > 0) {
        throw NotReached.tooLate("for the list was not at its end when leases were nearly over");
      }
      page = direct.backend().list(query.withAfter(next.get()));
    }
    return Optional.empty();
  }

  @Rule(
      value = "M1",
      check = "that waiters are told in the order of the queue, and none who has left",
      timed = true)
  public static void waitersAreToldInTheirOrder(RuleRun run) throws Exception {
    if (run.isForeign() || !run.has(Capability.FAIR)) {
      return;
    }
    List<DirectBackend> clients = List.of(run.direct(), run.direct());
    DirectBackend observer = run.direct();
    String name = run.name();
    Lease held = run.client().acquire(FairnessRules.fair(run, name));
    List<Attempt> waiting = new ArrayList<>();
    List<String> told = new ArrayList<>();
    List<UnaryOperator<Attempt>> kinds = List.copyOf(Leases.attempts(run).values());
    for (int i = 0; i < WAITING; i++) {
      DirectBackend client = clients.get(i % 2);
      Attempt attempt = kinds
          .get(i % kinds.size())
          .apply(Attempt.of(name, client.newId(), "tck-" + i, run.ms(LONG)))
          .withFair(true)
          .withPatience(run.ms(LONG));
      run.expect(
          client.attempt(attempt) instanceof AttemptResult.Queued,
          "a request for a held lock stands in the queue",
          "it does not");
      waiting.add(attempt);
      told.add(words(attempt.owner(), attempt.units(), attempt.capacity()));
    }
    expectWaiters(run, observer, name, WAITING + 1, told);
    expectWaiters(run, observer, name, 2, told.subList(0, 2));
    clients.get(0).abandon(name, waiting.get(0).id());
    expectWaiters(run, observer, name, WAITING + 1, told.subList(1, WAITING));
    for (int i = 1; i < WAITING; i++) {
      clients.get(i % 2).abandon(name, waiting.get(i).id());
    }
    expectWaiters(run, observer, name, WAITING, List.of());
    held.release();
  }

  private static void expectWaiters(
      RuleRun run, DirectBackend observer, String name, int limit, List<String> expected) {
    Optional<List<WaiterInfo>> told = observer.backend().waiters(name, limit);
    told.ifPresent(waiters -> run.expect(
        waiters.stream()
            .map(one -> words(one.owner(), one.units(), one.capacity()))
            .toList()
            .equals(expected),
        "of those who wait at most " + limit + " are told, in their order: " + expected,
        "told are " + waiters));
  }

  private static String words(String owner, int units, int capacity) {
    return owner + " for " + units + " of " + capacity;
  }
}
