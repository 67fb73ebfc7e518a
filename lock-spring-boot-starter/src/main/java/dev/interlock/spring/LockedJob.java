package dev.interlock.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.core.annotation.AliasFor;

/**
 * A job that every instance schedules and one runs: {@link Locked} that skips the call if the lock
 * is held by another, and keeps the lock after the job, so that instances whose clocks are behind
 * find it taken. Usually beside {@code @Scheduled}; whoever calls the method is treated alike.
 *
 * <p>A call that is nested in one of the same lock, on the same thread, is skipped: the job could
 * not keep a lock for its time that the outer call releases. What the job itself calls enters its
 * lock again, as {@link Locked} says.
 *
 * <p>What a skipped call returns, and what is refused at start, is that of {@link Locked}. A run
 * that loses its lease is interrupted, and the call ends with
 * {@link dev.interlock.LeaseLostException}.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
@Locked(onBusy = OnBusy.SKIP, autoRelease = false)
public @interface LockedJob {

  /** Same as {@link #name}. */
  @AliasFor(annotation = Locked.class, attribute = "name")
  String value() default "";

  /** The lock's name; see {@link Locked#name}. */
  @AliasFor(annotation = Locked.class, attribute = "name")
  String name() default "";

  /**
   * How long the lock stays, counted from when it was taken: {@code 50s}, {@code PT50S} or a
   * placeholder. Longer than the clocks of the instances differ, and shorter than the period of the
   * job less that difference. Also if the job fails, or its instance dies or is closed.
   */
  @AliasFor(annotation = Locked.class, attribute = "atLeast")
  String atLeast();

  /**
   * How long a run may take: {@code 10m}, {@code PT10M} or a placeholder; not less than
   * {@link #atLeast}. A run that takes longer loses the lock and is interrupted. Without it a run
   * keeps the lock until it has ended.
   */
  @AliasFor(annotation = Locked.class, attribute = "lease")
  String atMost() default "";

  /** Whose lock it is, if the application has several clients; see {@link Locked#client}. */
  @AliasFor(annotation = Locked.class, attribute = "client")
  String client() default "";

  /** Which calls need the lock; the others run without it, each time. */
  @AliasFor(annotation = Locked.class, attribute = "condition")
  String condition() default "";

  /** What happens when the lock's server cannot be asked, or does not answer. */
  @AliasFor(annotation = Locked.class, attribute = "whenUnavailable")
  WhenUnavailable whenUnavailable() default WhenUnavailable.FAIL;

  /** What a lost lease does to the work. */
  @AliasFor(annotation = Locked.class, attribute = "onLost")
  OnLost onLost() default OnLost.INTERRUPT;
}
