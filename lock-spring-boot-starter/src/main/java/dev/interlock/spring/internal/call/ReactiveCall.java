package dev.interlock.spring.internal.call;

import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LockRequest;
import dev.interlock.LostReason;
import dev.interlock.spring.CurrentLease;
import dev.interlock.spring.internal.annotation.LockedMethod;
import dev.interlock.spring.internal.annotation.LockedResults;
import dev.interlock.spring.internal.lease.Ending;
import dev.interlock.spring.internal.lease.Entry;
import dev.interlock.spring.internal.lease.LeaseScope;
import dev.interlock.spring.internal.lease.Losses;
import java.util.List;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Takes the lock at each subscription, and gives it up at its end. Blocks no subscriber. */
final class ReactiveCall {
  /** What the lock's request came to; of a type of its own, so that a discarded one is ours. */
  private record Entered(@Nullable Entry entry, boolean unguarded) {
    static final Entered BUSY = new Entered(null, false);
    static final Entered UNGUARDED = new Entered(null, true);

    static Entered by(Entry entry) {
      return new Entered(entry, false);
    }
  }

  private final LockedCalls shared;
  private final LockedMethod locked;
  private final LockRequest request;
  private final MethodInvocation invocation;

  ReactiveCall(
      LockedCalls shared, LockedMethod locked, LockRequest request, MethodInvocation invocation) {
    this.shared = shared;
    this.locked = locked;
    this.request = request;
    this.invocation = invocation;
  }

  /** What the caller gets: of the declared type, or what Spring makes a coroutine of. */
  Object result() {
    return LockedResults.Reactive.fromPublisher(locked.method(), toPublisher());
  }

  /**
   * What the caller of a method gets that needs no lock this time. It does not find the lease of a
   * caller, whose fencing token is that of another lock.
   */
  static Object unlocked(LockedMethod locked, MethodInvocation invocation) {
    boolean multi = LockedResults.Reactive.isMulti(locked.method());
    Flux<?> work = unlocked(() -> proceed(locked, invocation));
    return LockedResults.Reactive.fromPublisher(
        locked.method(), multi ? work : Mono.fromDirect(work));
  }

  private static Flux<?> unlocked(Supplier<Publisher<?>> work) {
    return Flux.defer(() -> {
          try (LeaseScope scope = LeaseScope.openUnlocked()) {
            return work.get();
          }
        })
        .contextWrite(context -> context.delete(CurrentLease.CONTEXT_KEY));
  }

  private Publisher<?> toPublisher() {
    if (!LockedResults.Reactive.isMulti(locked.method())) {
      return Mono.usingWhen(
              entered(),
              entered -> Mono.fromDirect(work(entered)), // from() cancels it at its value
              ReactiveCall::end,
              ReactiveCall::endAfter,
              ReactiveCall::end)
          .doOnDiscard(Entered.class, ReactiveCall::drop)
          .onErrorMap(ReactiveCall::lossItself);
    }
    return Flux.usingWhen(
            entered(), this::work, ReactiveCall::end, ReactiveCall::endAfter, ReactiveCall::end)
        .doOnDiscard(Entered.class, ReactiveCall::drop)
        .onErrorMap(ReactiveCall::lossItself);
  }

  private Mono<Entered> entered() {
    return Mono.defer(() -> {
          Entry again = shared.reenter(locked, request);
          return again == null ? acquired() : Mono.just(Entered.by(again));
        })
        .onErrorMap(RuntimeException.class, this::failed);
  }

  private Mono<Entered> acquired() {
    return Mono.fromFuture(() -> shared.gate(locked).enterAsync(locked.template(), request))
        .doOnDiscard(Lease.class, lease -> Ending.release(lease).endQuietly(lease.name()))
        .map(lease -> Entered.by(shared.acquired(locked, request, lease)))
        .defaultIfEmpty(Entered.BUSY)
        .doOnNext(entered -> shared.answered(locked))
        .onErrorResume(
            failure -> shared.runsUnguarded(locked, failure),
            failure -> Mono.just(Entered.UNGUARDED));
  }

  private RuntimeException failed(RuntimeException failure) {
    return shared.strategies().failed(locked, invocation, failure);
  }

  private Publisher<?> work(Entered entered) {
    Entry entry = entered.entry();
    if (entry == null) {
      return entered.unguarded() ? unlocked(() -> proceed(locked, invocation)) : busy();
    }
    Lease lease = entry.lease();
    Flux<?> work = Flux.defer(() -> proceed(entry))
        .contextWrite(context -> context.put(CurrentLease.CONTEXT_KEY, lease));
    Flux<?> whole = locked.interrupts() ? untilLost(work, entry) : work;
    return detaching(whole, entry.ending());
  }

  /** What the subscription itself does is of its thread, and whatever comes later of any. */
  private static <T> Publisher<T> detaching(Flux<T> work, Ending ending) {
    return subscriber -> {
      work.subscribe(subscriber);
      ending.detach();
    };
  }

  private Publisher<?> proceed(Entry entry) {
    try (LeaseScope scope = LeaseScope.open(entry, false)) {
      return proceed(locked, invocation);
    }
  }

  /** A subscription of its own for each subscriber: an invocation can be carried out only once. */
  private static Publisher<?> proceed(LockedMethod locked, MethodInvocation invocation) {
    MethodInvocation once = OuterCall.again(invocation);
    try {
      return LockedResults.Reactive.toPublisher(locked.method(), once.proceed());
    } catch (Throwable e) {
      return Flux.error(e);
    }
  }

  /** Cancels work at the loss of its lease, and then says why. */
  private <T> Flux<T> untilLost(Flux<T> work, Entry entry) {
    // Not Mono.fromCompletionStage: it cancels the stage with the work, and lost() refuses that.
    // Not on the thread that tells of losses: what is cancelled may block, and others wait for it.
    Mono<LostReason> loss =
        Mono.create(sink -> entry.lost().thenAcceptAsync(sink::success, shared.telling()));
    // An error of the other would end this, but not cancel the work.
    return work.takeUntilOther(loss).concatWith(Mono.defer(() -> {
      LostReason reason = entry.lost().toCompletableFuture().getNow(null);
      return reason == null ? Mono.empty() : Mono.error(Losses.during(entry.lease(), reason));
    }));
  }

  private Publisher<?> busy() {
    return switch (locked.onBusy()) {
      case FAIL -> Flux.error(failed(shared.gate(locked).busy(List.of(request))));
      case SKIP -> Mono.justOrEmpty(Busy.skippedSubscription(locked.method()));
      case FALLBACK ->
        unlocked(() -> {
          try {
            return publisher(Busy.fallback(locked, invocation));
          } catch (Throwable e) {
            return Flux.error(e);
          }
        });
    };
  }

  private Publisher<?> publisher(@Nullable Object result) {
    return LockedResults.Reactive.toPublisher(locked.method(), result);
  }

  private static Mono<Void> end(Entered entered) {
    Entry entry = entered.entry();
    return entry == null
        ? Mono.empty()
        : Mono.<Void>fromRunnable(entry.ending()::end).subscribeOn(Schedulers.boundedElastic());
  }

  private static Mono<Void> endAfter(Entered entered, Throwable failure) {
    // A loss that ended the work is told already.
    return failure instanceof LeaseLostException
        ? end(entered).onErrorComplete(LeaseLostException.class)
        : end(entered);
  }

  /** Reactor wraps what happens at the end of a resource. */
  private static Throwable lossItself(Throwable thrown) {
    return thrown.getCause() instanceof LeaseLostException lost ? lost : thrown;
  }

  /** The subscriber went away just when the lock was granted. */
  private static void drop(Entered entered) {
    end(entered).onErrorComplete().subscribe(); // nobody is there to hear of a loss
  }
}
