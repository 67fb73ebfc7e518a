package dev.interlock.tck.internal.run;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What is kept of the calls of a test, and how it is told. */
class CallTraceTest {
  /** How long a call took is told only if the machine was busy with something else meanwhile. */
  private static final String PERHAPS_SLOW = "(, after [0-9.]+ ms)?$";

  private final CallTrace trace = new CallTrace();

  @Test
  void callsAreToldInTheOrderTheyBegan() {
    CallTrace.Entry acquire = trace.begin("client-1 acquire()");
    trace.event("fault: a cut");
    trace.begin("client-2 inspect()");
    trace.end(acquire, "lease-1");

    assertThat(trace.lines()).hasSize(4);
    assertThat(trace.lines().get(0)).startsWith("calls of the test in this JVM");
    assertThat(trace.lines().get(1)).contains(" ms  client-1 acquire(): lease-1");
    assertThat(trace.lines().get(2)).endsWith(" ms  fault: a cut");
    assertThat(trace.lines().get(3)).endsWith("client-2 inspect(): not answered yet");
  }

  @Test
  void whatTookLongIsToldWithHowLong() throws InterruptedException {
    CallTrace.Entry acquire = trace.begin("acquire()");
    Thread.sleep(5);
    trace.end(acquire, "lease-1");
    assertThat(trace.lines().get(1)).matches(".* ms  acquire\\(\\): lease-1, after \\d+[.]\\d+ ms");
  }

  @Test
  void anAnswerIsOneLineOfSomeLength() {
    trace.end(trace.begin("long()"), "x".repeat(1_000));
    trace.end(trace.begin("lines()"), "first\nsecond");
    assertThat(trace.lines().get(1))
        .containsPattern("long\\(\\): x+[.]{3}" + PERHAPS_SLOW)
        .hasSizeLessThan(400);
    assertThat(trace.lines().get(2)).containsPattern("lines\\(\\): first" + PERHAPS_SLOW);
  }

  @Test
  void theSameAgainCountsAsOneUntilTheAnswerIsAnother() {
    for (int i = 0; i < 3 * CallTrace.MOST; i++) {
      trace.end(trace.begin("isValid()"), "true");
    }
    trace.end(trace.begin("isValid()"), "false");
    trace.begin("isValid()");

    assertThat(trace.lines()).hasSize(4);
    assertThat(trace.lines().get(1)).contains("isValid(): true, and 59 times more until ");
    assertThat(trace.lines().get(2)).contains("isValid(): false");
    assertThat(trace.lines().get(3)).endsWith("isValid(): not answered yet");
  }

  @Test
  void onlyTheLastAreKeptAndTheOthersCounted() {
    trace.end(trace.begin("twice()"), "");
    trace.end(trace.begin("twice()"), "");
    CallTrace.Entry forgotten = trace.begin("forgotten()");
    for (int i = 1; i <= CallTrace.MOST; i++) {
      trace.event("call " + i);
    }
    trace.end(forgotten, "late");

    assertThat(trace.lines()).hasSize(1 + CallTrace.MOST);
    assertThat(trace.lines().get(0))
        .startsWith("last calls of the test in this JVM, after 3 others");
    assertThat(trace.lines().get(1)).endsWith("call 1");
  }

  @Test
  void anotherTestBeginsWithNothing() {
    trace.event("of the one before");
    trace.restart();
    assertThat(trace.lines()).isEmpty();
  }
}
