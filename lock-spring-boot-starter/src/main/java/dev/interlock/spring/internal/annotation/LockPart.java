package dev.interlock.spring.internal.annotation;

import dev.interlock.Capability;
import dev.interlock.LockKind;
import dev.interlock.LockRequest;
import dev.interlock.spring.LockMode;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** How much of its lock a method takes. Immutable. */
public final class LockPart {
  private static final LockPart WHOLE =
      new LockPart(LockKind.EXCLUSIVE, UnaryOperator.identity(), null);
  private static final LockPart SHARED =
      new LockPart(LockKind.SHARED, LockRequest::shared, Capability.SHARED);

  private final LockKind kind;
  private final UnaryOperator<LockRequest> asking;
  private final @Nullable Capability needed;

  private LockPart(LockKind kind, UnaryOperator<LockRequest> asking, @Nullable Capability needed) {
    this.kind = kind;
    this.asking = asking;
    this.needed = needed;
  }

  static LockPart of(LockMode mode) {
    return mode == LockMode.READ ? SHARED : WHOLE;
  }

  /**
   * Some of the permits of a semaphore.
   *
   * @throws IllegalArgumentException if there are not as many, or a number is out of range
   */
  static LockPart permits(int take, int of) {
    UnaryOperator<LockRequest> asking = request -> request.permits(take, of);
    var unused = asking.apply(LockRequest.of("checked now, and not at the first call"));
    return new LockPart(LockKind.PERMITS, asking, Capability.PERMITS);
  }

  public boolean isExclusive() {
    return kind == LockKind.EXCLUSIVE;
  }

  /** Asks for this much of the lock. */
  LockRequest in(LockRequest request) {
    return asking.apply(request);
  }

  /** The capability that its provider must declare; null if all providers can give it. */
  @Nullable
  Capability needed() {
    return needed;
  }
}
