package dev.interlock.tck.internal.rules;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.tck.TckFault;
import dev.interlock.tck.internal.fault.FaultProxy;
import dev.interlock.tck.internal.run.RuleRun;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A client that waits, and whose connections then let nothing pass. To the server they stay open,
 * as those of a machine that is gone do. Does nothing where no proxy can stand before the server.
 */
final class VanishingClient {
  /** As soon as a living client gives up a connection on which nothing comes (W11). */
  private static final long GIVEN_UP = 8_000;

  private final RuleRun run;
  private final LockClient holder;
  private final LockClient living;
  private final @Nullable FaultProxy proxy;
  private final @Nullable LockClient vanishing;
  private final List<Lease> released = new ArrayList<>();
  private final Map<String, CompletableFuture<Lease>> behind = new LinkedHashMap<>();

  VanishingClient(RuleRun run) throws Exception {
    this.run = run;
    holder = run.client();
    living = run.client();
    proxy = run.offers(TckFault.CONNECTION) ? run.proxy() : null;
    vanishing = proxy == null ? null : run.client(proxy);
  }

  /**
   * Lets it wait for all of a lock that is held, once by others for a part and once by one that
   * releases it then; and one that lives behind it.
   */
  void enter(String who, LockRequest part, LockRequest whole, LockRequest other) throws Exception {
    LockClient client = vanishing;
    if (client != null) {
      holder.acquire(part);
      enter(client, who, whole, part);
      released.add(holder.acquire(other));
      enter(client, who + " after a release", other, other);
    }
  }

  private void enter(LockClient client, String who, LockRequest own, LockRequest next)
      throws Exception {
    var unused = Queues.enter(run, List.of(client), living, own, 0);
    behind.put(who, Queues.enter(run, List.of(living), living, next, 1));
  }

  /** Fails the rule if one behind it has something while it lives. */
  void expectToWait() {
    behind.forEach((who, next) -> run.expect(
        !next.isDone(), who + " waits for one who came before it and is alive", "it does not"));
  }

  void vanish() {
    if (proxy != null) {
      proxy.refuse(true);
      run.requireHit(proxy.silence(), "a waiting client whose open connections let nothing pass");
    }
    released.forEach(Lease::release);
  }

  /** Fails the rule unless those behind it have what they wait for. */
  void expectPassed(long vanished) throws Exception {
    for (Map.Entry<String, CompletableFuture<Lease>> next : behind.entrySet()) {
      run.await(
          run.limit(GIVEN_UP).minusNanos(System.nanoTime() - vanished),
          next.getKey() + " is served behind one whose open connections let nothing pass",
          next.getValue()::isDone);
      next.getValue().get().release();
    }
    if (proxy != null) {
      run.note(String.join(", ", behind.keySet()) + " came past one that had been silent for "
          + RuleRun.since(vanished).toMillis() + " ms");
    }
  }
}
