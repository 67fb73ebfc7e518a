package dev.interlock.contract;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.TestTemplate;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContextProvider;

/**
 * A test that runs as often as the system property {@code interlock.test.rounds} says, three times
 * unless set.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@TestTemplate
@ExtendWith(Rounds.Repetition.class)
public @interface Rounds {

  /** Repeats. */
  final class Repetition implements TestTemplateInvocationContextProvider {
    private static final int ROUNDS = Integer.getInteger("interlock.test.rounds", 3);

    @Override
    public boolean supportsTestTemplate(ExtensionContext context) {
      return true;
    }

    @Override
    public Stream<TestTemplateInvocationContext> provideTestTemplateInvocationContexts(
        ExtensionContext context) {
      return IntStream.range(0, ROUNDS).mapToObj(round -> new TestTemplateInvocationContext() {});
    }
  }
}
