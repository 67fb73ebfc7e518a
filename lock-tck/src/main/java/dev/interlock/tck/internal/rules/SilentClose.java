package dev.interlock.tck.internal.rules;

import dev.interlock.BackendUnavailableException;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.tck.internal.fault.FaultProxy;
import dev.interlock.tck.internal.run.RuleRun;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * A client with a hold and a waiter that is closed while nothing comes from its server any more.
 *
 * @param closed what came of the close
 * @param waiter waited for a lock
 */
record SilentClose(CompletableFuture<TimedAnswer> closed, CompletableFuture<Lease> waiter) {
  private static final long LONGEST = 10_000;

  static SilentClose begin(RuleRun run) throws Exception {
    FaultProxy proxy = run.proxy();
    LockClient client = run.client(proxy);
    LockRequest awaited = Leases.fixed(run, run.name(), 60_000);
    run.client().acquire(awaited);
    client.acquire(Leases.lasting(run, run.name(), 2_000));
    CompletableFuture<Lease> waiter = client.acquireAsync(awaited.withWait(run.ms(60_000)));
    RuleRun.pause(run.ms(100));
    proxy.holdReplies(true);
    run.fault("a silent server");
    return new SilentClose(
        TimedAnswer.of("close", () -> {
          client.close();
          return "closed";
        }),
        waiter);
  }

  /** Fails the rule unless it ends in a few seconds, and the waiter with it. */
  void expectEnded(RuleRun run) throws Exception {
    run.await(run.limit(LONGEST), "close ends though the server is silent", closed::isDone);
    TimedAnswer answer = closed.join();
    run.expect(answer.error() == null, "close throws nothing", "it threw " + answer.error());
    run.await(run.limit(1_000), "a waiter of a closed client ends", waiter::isDone);
    Throwable end = waiter.handle((lease, error) -> error).join();
    Throwable cause = end instanceof CompletionException wrapped ? wrapped.getCause() : end;
    run.expect(
        cause instanceof BackendUnavailableException,
        "a waiter of a closed client gets BackendUnavailableException",
        "it got " + cause);
    run.note("close ended " + answer.took() / 1_000_000 + " ms after the server fell silent");
  }
}
