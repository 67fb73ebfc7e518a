package dev.interlock.tck.internal.rules;

import dev.interlock.Capability;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockListener;
import dev.interlock.LockRequest;
import dev.interlock.LostReason;
import dev.interlock.tck.internal.run.Rule;
import dev.interlock.tck.internal.run.RuleRun;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Rule M6. */
public final class ListenerRules {
  private ListenerRules() {}

  /** Notes begins and ends of holds. */
  private static final class Notes implements LockListener {
    private final Queue<String> heard = new ConcurrentLinkedQueue<>();

    @Override
    public void acquired(String name, long fencingToken, Duration waited) {
      heard.add("acquired " + fencingToken);
    }

    @Override
    public void released(String name, long fencingToken, Duration held) {
      heard.add("released " + fencingToken);
    }

    @Override
    public void lost(String name, long fencingToken, LostReason reason) {
      heard.add("lost " + fencingToken);
    }

    /** Each hold begins and ends once, and before the next one begins. */
    List<String> judge(RuleRun run, int holds) throws Exception {
      run.await(
          run.limit(5_000),
          "the end of each of " + holds + " holds is told",
          () -> heard.size() >= 2 * holds);
      List<String> events = new ArrayList<>(heard);
      run.expect(events.size() == 2 * holds, 2 * holds + " events", events.size() + " were told");
      for (int i = 0; i < events.size(); i += 2) {
        String begin = events.get(i);
        String token = begin.substring(begin.indexOf(' '));
        String end = events.get(i + 1);
        run.expect(
            begin.startsWith("acquired") && !end.startsWith("acquired") && end.endsWith(token),
            "the begin of a hold, then its end, then the begin of the next",
            "event " + i + " was \"" + begin + "\", and after it came \"" + end + "\"");
      }
      return events;
    }

    /** What an end is called: released is only what the holder gave up while it had it. */
    void judgeEnds(RuleRun run, List<String> ends) throws Exception {
      List<String> events = judge(run, ends.size());
      for (int hold = 0; hold < ends.size(); hold++) {
        String end = events.get(2 * hold + 1);
        run.expect(
            end.startsWith(ends.get(hold)),
            "the end of hold " + (hold + 1) + " is told as " + ends.get(hold),
            "it was told as \"" + end + "\"");
      }
    }
  }

  @Rule(
      value = "M6",
      check = "that the end of a hold is told before the next one may begin",
      limit = 120)
  public static void handOffsAreToldInOrder(RuleRun run) throws Exception {
    Notes notes = new Notes();
    LockClient client = run.client(notes);
    String name = run.name();
    int rounds = run.amount(50, 300, 2_000);
    boolean renewable = run.has(Capability.RENEWABLE);
    List<CompletableFuture<Integer>> workers = new ArrayList<>();
    for (int w = 0; w < 4; w++) {
      LockRequest request = LockRequest.of(name).withWait(Duration.ofSeconds(60));
      LockRequest fixed = Leases.fairInTurns(run, request.withLease(Duration.ofSeconds(30)), w);
      boolean renewed = renewable && w > 1;
      CompletableFuture<Integer> done = new CompletableFuture<>();
      // By its name its calls count as the test's: while they are answered nothing hangs.
      Thread thread = new Thread(
          () -> {
            try {
              for (int i = 0; i < rounds; i++) {
                client.acquire(renewed ? request : fixed).release();
              }
              done.complete(rounds);
            } catch (InterruptedException | RuntimeException e) {
              done.completeExceptionally(e);
            }
          },
          "tck-rule-holder");
      thread.setDaemon(true);
      thread.start();
      workers.add(done);
    }
    for (CompletableFuture<Integer> worker : workers) {
      worker.get();
    }
    notes.judge(run, 4 * rounds);
    run.count(4L * rounds);
    run.note(4 * rounds + " holds of four threads of one client began and ended in order");
  }

  @Rule(
      value = "M6",
      check = "that every way to lose or give up a hold is told, once, and as what it was",
      timed = true)
  public static void everyEndIsToldOnce(RuleRun run) throws Exception {
    Notes notes = new Notes();
    LockClient client = run.client(notes);
    LockClient operator = run.client();
    String name = run.name();
    client.acquire(Leases.fixed(run, name, 20_000)).release();
    Lease brief = client.acquire(Leases.fixed(run, name, 200));
    run.await(run.limit(2_000), "a lease runs out", () -> !brief.isValid());
    Leases.drop(brief);
    Lease forced = client.acquire(Leases.fixed(run, name, 20_000));
    Leases.force(run, operator, name);
    Leases.drop(forced);
    client.acquire(Leases.fixed(run, name, 20_000));
    client.close();
    notes.judgeEnds(run, List.of("released", "lost", "lost", "lost"));
    run.note("a release, an expiry, a forced release and a close were told once each");
  }
}
