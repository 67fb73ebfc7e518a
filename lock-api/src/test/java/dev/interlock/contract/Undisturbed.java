package dev.interlock.contract;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.TestTemplate;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.LifecycleMethodExecutionExceptionHandler;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContextProvider;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * A test of leases that are so short that a machine which stands still loses them. A failure counts
 * unless it was seen to stand still meanwhile; then the test is repeated, twice at most.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@TestTemplate
@ExtendWith(Undisturbed.Runs.class)
public @interface Undisturbed {

  /** From how many milliseconds on a thread that wakes up so late excuses a failure. */
  long millis();

  /** Runs the test again, with a new instance, for as long as its judge asks for it. */
  final class Runs implements TestTemplateInvocationContextProvider {
    @Override
    public boolean supportsTestTemplate(ExtensionContext context) {
      return true;
    }

    @Override
    public Stream<TestTemplateInvocationContext> provideTestTemplateInvocationContexts(
        ExtensionContext context) {
      Undisturbed test = AnnotationSupport.findAnnotation(
              context.getRequiredTestMethod(), Undisturbed.class)
          .orElseThrow();
      Judge judge = new Judge(Duration.ofMillis(test.millis()));
      TestTemplateInvocationContext run = new TestTemplateInvocationContext() {
        @Override
        public List<Extension> getAdditionalExtensions() {
          return List.of(judge);
        }
      };
      return Stream.generate(() -> run).takeWhile(next -> judge.wantsRun());
    }
  }

  /** Measures during each run, and decides whether its failure counts. */
  final class Judge
      implements BeforeEachCallback,
          AfterEachCallback,
          TestExecutionExceptionHandler,
          LifecycleMethodExecutionExceptionHandler {
    private static final int MOST = 3;

    private final Duration excuse;
    private Lateness lateness = new Lateness();
    private int runs;
    private boolean wantsRun = true;

    Judge(Duration excuse) {
      this.excuse = excuse;
    }

    boolean wantsRun() {
      return wantsRun;
    }

    @Override
    public void beforeEach(ExtensionContext context) {
      lateness.close();
      lateness = new Lateness();
      runs++;
      wantsRun = false;
    }

    @Override
    public void handleTestExecutionException(ExtensionContext context, Throwable failure)
        throws Throwable {
      judge(failure);
    }

    @Override
    public void handleAfterEachMethodExecutionException(ExtensionContext context, Throwable failure)
        throws Throwable {
      judge(failure);
    }

    void judge(Throwable failure) throws Throwable {
      long late = lateness.nanos();
      if (!wantsRun && (runs == MOST || late < excuse.toNanos())) {
        throw failure;
      }
      wantsRun = true;
      System.out.printf("Run again, as a thread was %d ms late: %s%n", late / 1_000_000, failure);
    }

    @Override
    public void afterEach(ExtensionContext context) {
      lateness.close();
    }
  }
}
