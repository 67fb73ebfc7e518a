package dev.interlock.tck.internal.rules;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.tck.internal.fault.FaultProxy;
import dev.interlock.tck.internal.run.RuleRun;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/**
 * A client that cannot connect any more, and has a lock of each kind for some minutes.
 *
 * @param proxy refuses it
 * @param client the client
 * @param other another one, which can connect
 * @param leases of the locks
 * @param since when it was cut off
 */
record AbsentHolder(
    FaultProxy proxy, LockClient client, LockClient other, List<Lease> leases, long since) {

  static AbsentHolder begin(RuleRun run) throws Exception {
    FaultProxy proxy = run.proxy();
    LockClient client = run.client(proxy);
    List<Lease> leases = new ArrayList<>();
    for (UnaryOperator<LockRequest> kind : Leases.kinds(run).values()) {
      LockRequest request = kind.apply(LockRequest.of(run.name()));
      leases.add(
          client.acquire(request.withLease(Duration.ofMinutes(3)).withWait(run.limit(3_000))));
    }
    proxy.refuse(true);
    run.requireHit(proxy.cut(), "a client that cannot connect for some time");
    return new AbsentHolder(proxy, client, run.client(), leases, System.nanoTime());
  }

  /** Fails the rule unless the locks are held when it has been away for so many milliseconds. */
  void expectKept(RuleRun run, long millis) throws InterruptedException {
    // Not stretched: a server's patience does not stretch either.
    Leases.until(since + TimeUnit.MILLISECONDS.toNanos(millis));
    for (Lease held : leases) {
      run.expectHeld(other, held.name(), "while its holder cannot connect, and the lease runs");
    }
  }
}
