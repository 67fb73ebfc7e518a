package dev.interlock.tck.internal.rules;

import dev.interlock.Capability;
import dev.interlock.HoldInfo;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.LockTimeoutException;
import dev.interlock.tck.internal.run.Rule;
import dev.interlock.tck.internal.run.RuleRun;
import dev.interlock.tck.internal.run.RuleViolation;
import dev.interlock.tck.internal.worker.Worker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/** Rule X4. */
public final class NameRules {
  private NameRules() {}

  @Rule(value = "X4", check = "that names are neither folded, trimmed, cut nor hashed together")
  public static void differentNamesNeverConflict(RuleRun run) throws Exception {
    LockClient client = run.client();
    // Before the locks are held: a JVM may take longer to start than the leases last.
    Worker other = run.worker();
    List<String> names = LookAlikes.withParts(run.name());
    LockClient waiter = run.client();
    Map<String, Lease> held = new LinkedHashMap<>();
    for (String name : names) {
      LockRequest request = LockRequest.of(name).withLease(run.ms(300_000));
      try {
        held.put(name, client.acquire(request.withWait(run.ms(1_000))));
        run.count(1);
        if (name.equals(names.get(0))) {
          // Of a lock that is awaited a store keeps more.
          var unused = waiter.acquireAsync(Leases.fairInTurns(run, request, 0));
          RuleRun.pause(run.ms(100));
        }
      } catch (LockTimeoutException e) {
        if (client.tryAcquire(request).isPresent()) {
          continue; // only the answer came late
        }
        throw new RuleViolation(
            "names that differ are different locks",
            "\"" + name + "\" is closed though nobody holds a lock of that name",
            List.of("held at the time: " + names.subList(0, names.indexOf(name))));
      }
    }
    expectClosed(run, other, names, "a name is the same lock in all JVMs");
    endHalf(run, waiter, names, held);
    List<String> left = IntStream.range(0, names.size())
        .filter(i -> i % 2 == 1)
        .mapToObj(names::get)
        .toList();
    expectClosed(run, other, left, "the end of a hold leaves those of similar names as they are");
    run.note(names.size() + " look-alike names, each a lock of its own");
  }

  /** Looks at all of them, and ends those at even places, whose neighbours are most like them. */
  private static void endHalf(
      RuleRun run, LockClient operator, List<String> names, Map<String, Lease> held)
      throws Exception {
    SideBySide.each(List.copyOf(held.values()), lease -> {
      run.ifOffered(() -> {
        long told = operator.inspect(lease.name()).map(HoldInfo::fencingToken).orElse(-1L);
        run.expectWhileHeld(
            lease.name(),
            () -> !run.has(Capability.FENCED) || told == lease.fencingToken(),
            "inspect tells of the hold of \"" + lease.name() + "\"",
            "it tells token " + told + ", which is not " + lease.fencingToken());
      });
      return lease;
    });
    SideBySide.each(names, name -> {
      int place = names.indexOf(name);
      Lease lease = held.get(name);
      if (place % 4 == 0 && lease != null) {
        Leases.drop(lease);
      } else if (place % 4 == 2) {
        run.ifOffered(() -> operator.forceRelease(name));
      }
      return name;
    });
  }

  private static void expectClosed(RuleRun run, Worker other, List<String> names, String expected)
      throws Exception {
    ArrayList<String> tried = new ArrayList<>(names);
    ArrayList<String> entered = other.call(space -> {
      ArrayList<String> open = new ArrayList<>();
      for (String name : tried) {
        LockRequest request = LockRequest.of(name).withLease(Duration.ofSeconds(1));
        space.client().tryAcquire(request).ifPresent(lease -> open.add(name));
      }
      return open;
    });
    run.count(names.size());
    for (String name : entered) {
      run.expectWhileHeld(name, () -> false, expected, "another JVM entered " + entered);
    }
  }

  /** Parts, and owners, may be kept in another place, under other names. */
  @Rule(
      value = "X4",
      check = "that each kind of hold is kept under the name as it was written",
      timed = true)
  public static void holdsOfEachKindAreOfOneName(RuleRun run) throws Exception {
    if (run.isForeign()) {
      return; // others say what names may be
    }
    LockClient client = run.client();
    LockClient other = run.client();
    for (Map.Entry<String, UnaryOperator<LockRequest>> kind : Leases.kinds(run).entrySet()) {
      LockRequest shape = kind.getValue().apply(LockRequest.of("kind"));
      if (shape.capacity() == 1 && shape.owner().isEmpty()) {
        continue; // it is kept as any lock is
      }
      List<String> names = LookAlikes.of(run.name());
      List<Lease> held = SideBySide.each(
          names,
          name -> Leases.expectGiven(
              run,
              client,
              kind.getValue().apply(LockRequest.of(name).withLease(run.ms(300_000))),
              kind.getKey() + ", of \"" + name + "\", which nobody holds,"));
      List<Integer> places = IntStream.range(0, names.size()).boxed().toList();
      // Those that are joined by one mistake are neighbours.
      SideBySide.each(places.stream().filter(i -> i % 2 == 0).toList(), i -> {
        held.get(i).release();
        return i;
      });
      SideBySide.each(places, i -> {
        LockRequest whole = LockRequest.of(names.get(i)).withLease(run.ms(300_000));
        if (i % 2 == 0) {
          Leases.expectGiven(run, other, whole, "\"" + names.get(i) + "\", which is free,");
        } else {
          run.expectHeld(other, names.get(i), "while others of similar names were released");
        }
        return i;
      });
      run.note(names.size() + " look-alike names, each held by " + kind.getKey());
    }
  }

  @Rule(
      value = "X4",
      check = "that every operation finds the lock under the name as it was written")
  public static void everyOperationFindsTheName(RuleRun run) throws Exception {
    LockClient client = run.client();
    LockClient other = run.client();
    List<String> names = LookAlikes.withParts(run.name());
    for (int i = 0; i < names.size(); i++) {
      String name = names.get(i);
      Lease lease = client.acquire(Leases.fixed(run, name, 30_000));
      run.ifOffered(() -> run.expect(
          other.inspect(name).isPresent(), "inspect finds \"" + name + "\"", "it says free"));
      if (run.has(Capability.RENEWABLE)) {
        run.expect(lease.extend(run.ms(30_000)), "\"" + name + "\" is extended", "it is not");
      }
      if (i % 2 == 0) {
        lease.release();
      } else {
        run.ifOffered(() -> run.expect(
            other.forceRelease(name), "forceRelease finds \"" + name + "\"", "it says free"));
      }
      run.ifOffered(
          () -> run.expect(other.inspect(name).isEmpty(), "\"" + name + "\" is free", "it is not"));
      run.count(1);
    }
  }

  @Rule(value = "X4", check = "the check of names at the call")
  public static void namesThatCannotBeAreRefused(RuleRun run) {
    LockClient client = run.client();
    List<String> wrong = List.of("", "a\0b", "a".repeat(LockRequest.MAX_NAME_BYTES + 1), "\uD800");
    for (String name : wrong) {
      run.expectThrows(IllegalArgumentException.class, "a wrong name", () -> LockRequest.of(name));
      run.expectThrows(IllegalArgumentException.class, "a wrong name", () -> client.lock(name));
    }
  }
}
