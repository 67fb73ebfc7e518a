package dev.interlock.tck.internal.run;

import dev.interlock.tck.TckFault;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Names the rule of SPEC.md that a test checks. The test is a static method that takes a
 * {@link RuleRun}; several tests may name one rule.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Rule {
  /** The rule's id. */
  String value();

  /** What the author of a backend should look at when this test fails. */
  String check();

  /** What may run beside the test. */
  Neighbours neighbours() default Neighbours.MANY;

  /**
   * After how many seconds the test is taken to hang, before the time scale, three times that at
   * full effort; the time to start JVMs is not counted. Rules with more are begun first.
   */
  int limit() default 60;

  /**
   * True for a test that a machine which stands still makes fail although the provider is sound. It
   * is run once more when this JVM was seen to stand still meanwhile. What is wrong at any speed,
   * such as two holders while both leases run, fails at once all the same; and what only came too
   * late is tried again also if this is false.
   */
  boolean timed() default false;

  /** The faults without which the test cannot be run. */
  TckFault[] needs() default {};
}
