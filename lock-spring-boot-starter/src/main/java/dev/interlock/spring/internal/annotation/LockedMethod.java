package dev.interlock.spring.internal.annotation;

import dev.interlock.Capability;
import dev.interlock.LockRequest;
import dev.interlock.spring.LockScope;
import dev.interlock.spring.OnBusy;
import dev.interlock.spring.OnLost;
import dev.interlock.spring.WhenUnavailable;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link LockAnnotation} says of one method, read and checked.
 *
 * @param method the method, as its class declares it
 * @param client the name of the client whose locks they are; empty for the one without a name
 * @param lockNames the names of its locks, at least one
 * @param part how much of its locks it takes
 * @param condition null if each call needs the lock
 * @param waitFor empty for the application's default
 * @param lease empty for the client's default; with {@code atLeast} the same as that
 * @param atLeast empty if the lock is released when the method has ended
 * @param atMost only with {@code atLeast}: when the lock ends although the method goes on
 * @param fallback only for {@link OnBusy#FALLBACK}
 * @param kind how its result is complete
 */
public record LockedMethod(
    Method method,
    String client,
    List<LockName> lockNames,
    LockPart part,
    @Nullable LockCondition condition,
    Optional<Duration> waitFor,
    Optional<Duration> lease,
    Optional<Duration> atLeast,
    Optional<Duration> atMost,
    LockScope scope,
    OnBusy onBusy,
    @Nullable Method fallback,
    WhenUnavailable whenUnavailable,
    OnLost onLost,
    boolean fair,
    Kind kind) {

  /** How the result of a method is complete. */
  public enum Kind {
    /** When it returns, or when the stage that it returns is complete. */
    CALL,
    /** With a subscription, which also a suspend function or a flow of Kotlin is in Spring. */
    REACTIVE
  }

  /** Whether what is given for a stage fits into its declared type. */
  public boolean givesStage() {
    return method.getReturnType().isAssignableFrom(CompletableFuture.class);
  }

  /** What the locks are written as; the same for all calls. */
  public String template() {
    return lockNames.size() == 1
        ? lockNames.get(0).template()
        : lockNames.stream().map(LockName::template).collect(Collectors.joining(", "));
  }

  /** The names of one call's locks, each once. */
  public List<String> names(@Nullable Object target, @Nullable Object[] arguments) {
    return lockNames.size() == 1
        ? List.of(lockNames.get(0).of(target, arguments))
        : lockNames.stream().map(name -> name.of(target, arguments)).distinct().toList();
  }

  /** What its names and its condition are made of; empty if all calls have the same. */
  List<MethodExpressions> expressions() {
    List<MethodExpressions> all = new ArrayList<>();
    lockNames.stream().filter(name -> !name.isFixed()).forEach(name -> all.add(name.expressions()));
    if (condition != null) {
      all.add(condition.expressions());
    }
    return all;
  }

  /** Whether a call needs the lock. */
  public boolean isLocked(@Nullable Object target, @Nullable Object[] arguments) {
    return condition == null || condition.holds(target, arguments);
  }

  /** What the provider of its client must declare. */
  public Set<Capability> needs() {
    Set<Capability> needs = EnumSet.noneOf(Capability.class);
    Capability ofPart = part.needed();
    if (ofPart != null) {
      needs.add(ofPart);
    }
    if (fair) {
      needs.add(Capability.FAIR);
    }
    return needs;
  }

  public boolean interrupts() {
    return onLost == OnLost.INTERRUPT;
  }

  /** The request for one call. */
  public LockRequest request(String lockName, Duration defaultWait, @Nullable String owner) {
    Duration limit = waitFor.orElse(onBusy == OnBusy.FAIL ? defaultWait : Duration.ZERO);
    LockRequest request = part.in(LockRequest.of(lockName).withWait(limit));
    if (lease.isPresent()) {
      request = request.withLease(lease.get());
    }
    if (owner != null) {
      request = request.withOwner(owner);
    }
    return fair ? request.fair(true) : request;
  }
}
