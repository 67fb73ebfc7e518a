package dev.interlock.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.core.annotation.AliasFor;

/**
 * Runs a method while it holds permits of a semaphore: at most as many calls as there are permits
 * run at the same time, in all instances together. Who waits is served in the order of arrival.
 * Permits are renewed while the method runs, and are free again within the lease when its instance
 * dies. On a class it is the default of all its public methods, which then share the permits.
 *
 * <p>In all else it is {@link Locked}: what is refused at start, results that are complete later,
 * transactions, which keep the permits of each of their calls, and losses. Needs
 * {@link dev.interlock.Capability#PERMITS}, which is looked at when the application starts.
 *
 * <p>A method that is called by one that has permits of the same semaphore takes permits of its
 * own, if there are some at once: it does not wait, for it might wait for its caller. To take
 * permits and a lock as well, call a {@link Locked} method of another bean, with another name.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
@Locked
public @interface Limited {

  /** Same as {@link #name}. */
  @AliasFor(annotation = Locked.class, attribute = "name")
  String value() default "";

  /** The semaphore's name; see {@link Locked#name}. */
  @AliasFor(annotation = Locked.class, attribute = "name")
  String name() default "";

  /**
   * How many permits there are, from 1 to {@link dev.interlock.LockRequest#MAX_PERMITS}. The size
   * is not stored: each call is judged by the size that it names and by those that the holders
   * named, the smallest of them, so that instances of two versions may name different ones.
   */
  int permits() default 0;

  /** The same as text, with placeholders, such as {@code ${exports.at-once:4}}. */
  String permitsString() default "";

  /** How many permits one call takes, all or none. */
  int take() default 1;

  /** Whose semaphore it is, if the application has several clients; see {@link Locked#client}. */
  @AliasFor(annotation = Locked.class, attribute = "client")
  String client() default "";

  /** Which calls need permits; the others run without. See {@link Locked#condition}. */
  @AliasFor(annotation = Locked.class, attribute = "condition")
  String condition() default "";

  /** How long to wait for the permits; see {@link Locked#waitFor}. */
  @AliasFor(annotation = Locked.class, attribute = "waitFor")
  String waitFor() default "";

  /** How long the permits are held at the most; see {@link Locked#lease}. */
  @AliasFor(annotation = Locked.class, attribute = "lease")
  String lease() default "";

  /** What happens when there are still not as many permits after the wait. */
  @AliasFor(annotation = Locked.class, attribute = "onBusy")
  OnBusy onBusy() default OnBusy.FAIL;

  /**
   * The method that is called instead with {@link OnBusy#FALLBACK}; see {@link Locked#fallback}.
   */
  @AliasFor(annotation = Locked.class, attribute = "fallback")
  String fallback() default "";

  /** What happens when the server cannot be asked, or does not answer. */
  @AliasFor(annotation = Locked.class, attribute = "whenUnavailable")
  WhenUnavailable whenUnavailable() default WhenUnavailable.FAIL;

  /** What a lost lease does to the work. */
  @AliasFor(annotation = Locked.class, attribute = "onLost")
  OnLost onLost() default OnLost.INTERRUPT;
}
