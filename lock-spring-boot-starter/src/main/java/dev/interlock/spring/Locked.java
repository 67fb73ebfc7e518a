package dev.interlock.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.core.annotation.AliasFor;

/**
 * Runs a method under a distributed lock. On a class it is the default of all its public methods; a
 * method's own annotation replaces it as a whole.
 *
 * <p>The lock is taken before the method and everything inside its proxy, such as
 * {@code @Transactional}, and released after it: after the commit or rollback. A call from within a
 * running transaction keeps the lock until that transaction is complete; further calls of the
 * transaction enter it again, and another transaction of the same thread finds it busy at once.
 * With {@code @Async} it is taken on the asynchronous thread.
 *
 * <p>Methods that return a {@code CompletionStage} take the lock on the calling thread and release
 * it once the stage is complete. A stage that is cancelled is complete: what was passed to
 * {@code CompletableFuture.supplyAsync} goes on nevertheless, without the lock, and should not be
 * cancelled. Methods that return a Reactor {@code Mono} or {@code Flux}, or what Spring makes a
 * publisher of, take it without blocking at each subscription, and release it at completion, error
 * or cancellation. Other results that stand for work to come are refused: at start, or with an
 * {@link IllegalStateException} if they were not declared.
 *
 * <p>A call that is nested in one of the same lock, on the same thread, enters it again; see
 * {@link LockScope#THREAD}. The server is not asked, and {@link #lease}, {@link #waitFor} and
 * {@link #fair} of the inner call are of no effect. A stage that it returns, or a publisher that is
 * subscribed within the outer call on its thread, keeps the lock until it is complete, also beyond
 * the outer call. If the lease was lost, the inner call does not run, and ends with
 * {@link dev.interlock.LeaseLostException}. One with {@link #atLeast} never enters again: it finds
 * the lock busy at once.
 *
 * <p>As with every proxy of Spring, a call from the same object is not seen, and neither are
 * private, static and final methods, and those without a modifier that a class inherits from
 * another package: on those the annotation is refused at start. Final methods that a class inherits
 * from one without the annotation run without the lock, which a warning says at start. What can be
 * checked at start is: expressions, durations, combinations, and the fallback.
 *
 * <p>A call whose lease was lost ends with {@link dev.interlock.LeaseLostException}, also if the
 * method returned normally. The method finds its lease and fencing token in {@link CurrentLease}.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
public @interface Locked {

  /** Same as {@link #name}. */
  @AliasFor("name")
  String value() default "";

  /**
   * The lock's name: text with SpEL expressions in <code>#{...}</code> and placeholders in <code>
   * ${...}</code>, such as {@code order-#{#id}} or {@code order-#{@keys.of(#order)}}. The method's
   * arguments are variables, beans start with {@code @}, and properties are those of the bean that
   * is called. An expression must not be null. A bean of type {@link LockNaming} may change it.
   */
  @AliasFor("value")
  String name() default "";

  /**
   * Several locks instead of one, such as {@code {"account-#{#from}", "account-#{#to}"}}, each
   * written as a {@link #name}. All are taken or none, in an order that does not deadlock; names
   * that are equal count once. A nested call enters them again if its thread has them all; if it
   * has some, they are busy at once. The method must have ended its work when it returns.
   */
  String[] names() default {};

  /**
   * Whose lock it is, if the application has several clients: a name under
   * {@code interlock.clients}, or of a {@code LockClient} bean; may be a placeholder. Without it
   * the client that {@code interlock.uri} opens, or the primary bean. A client that does not exist
   * is refused at start.
   */
  String client() default "";

  /**
   * Which calls need the lock: a SpEL expression such as {@code #order.total > 100} that is true or
   * false, with the variables, beans and placeholders of a {@link #name}. Where it is false the
   * method runs without the lock. A call whose condition fails or is null does not run.
   */
  String condition() default "";

  /**
   * How long to wait for the lock: {@code 5s}, {@code PT5S} or a placeholder; {@code 0} for one
   * attempt. Without it {@code interlock.locked.wait-for} (10 s unless set) for
   * {@link OnBusy#FAIL}, and one attempt otherwise.
   */
  String waitFor() default "";

  /**
   * How long the lock is held at the most: {@code 30s}, {@code PT30S} or a placeholder. A method
   * that takes longer loses its lease. Without it the lease is the client's default and is renewed
   * until the method has ended.
   */
  String lease() default "";

  /** Whether the lock is taken alone or together with others that read. */
  LockMode mode() default LockMode.WRITE;

  /** Who owns the lock. */
  LockScope scope() default LockScope.THREAD;

  /** What happens when the lock is still held by another after the wait. */
  OnBusy onBusy() default OnBusy.FAIL;

  /**
   * The method of the same class, with the same parameters and a matching result, that is called
   * instead when {@link #onBusy} is {@link OnBusy#FALLBACK}; it runs without the lock.
   */
  String fallback() default "";

  /** What happens when the lock's server cannot be asked, or does not answer. */
  WhenUnavailable whenUnavailable() default WhenUnavailable.FAIL;

  /** What a lost lease does to the work. */
  OnLost onLost() default OnLost.INTERRUPT;

  /**
   * Whether the lock is released when the method has ended. If not, it stays for {@link #atLeast}
   * from the time it was taken, also if the method fails or the application is closed, so that a
   * job that several instances schedule runs once. A run that takes longer keeps the lock, up to
   * {@link #lease} if that is given. {@link LockedJob} is the short form.
   *
   * <p>A method that is also {@code @Scheduled} is refused at start if its lock is released and
   * {@link #onBusy} is {@link OnBusy#FAIL}: the instances would run it one after the other. With
   * {@link OnBusy#SKIP} and {@link OnBusy#FALLBACK} a warning says so.
   */
  boolean autoRelease() default true;

  /** How long the lock stays with {@code autoRelease = false}: {@code 50s} or {@code PT50S}. */
  String atLeast() default "";

  /**
   * First come, first served; needs {@link dev.interlock.Capability#FAIR}. Without it the order is
   * the provider's own.
   */
  boolean fair() default false;
}
