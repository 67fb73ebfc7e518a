package dev.interlock.tck.internal.spi;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What is kept of the calls at the SPI, and how it is told. */
class SpiTraceTest {
  private final SpiTrace trace = new SpiTrace();
  private final long start = System.nanoTime();

  private void call(String call, String answer) {
    trace.end(begin("client-1", call), lock -> answer);
  }

  /** As the backend's calls are told: the lock's name is the first argument. */
  private SpiTrace.Entry begin(String client, String call) {
    String name = call.substring(call.indexOf('(') + 1).split("[ ,)]", 2)[0];
    return trace.begin(client, () -> name.isEmpty() ? Set.of() : Set.of(name), lock -> call);
  }

  private List<SpiCall> all() {
    return trace.calls(start, System.nanoTime(), "");
  }

  @Test
  void aCallIsToldWithClientThreadTimesAndAnswer() {
    SpiTrace.Entry attempt = begin("client-1", "attempt(a)");
    begin("client-2", "attempt(b)");
    trace.end(attempt, lock -> "granted, token 3");

    List<String> lines = SpiCall.lines(all(), start);
    String thread = Thread.currentThread().getName();
    assertThat(lines).hasSize(3);
    assertThat(lines.get(0)).startsWith("calls at the SPI");
    assertThat(lines.get(1))
        .matches(" +[0-9.]+ ms  client-1 on " + thread + " attempt\\(a\\): granted, token 3.*");
    assertThat(lines.get(2)).endsWith("client-2 on " + thread + " attempt(b): not answered yet");
  }

  @Test
  void callsOfSeveralJvmsAreToldInOneOrder() {
    List<SpiCall> calls = List.of(
        new SpiCall("client-2", "t", "release(a)", 30, 5, "true"),
        new SpiCall("client-1", "t", "attempt(a)", 10, 5, "granted, token 3"));

    assertThat(SpiCall.lines(calls, 0))
        .extracting(line -> line.replaceAll(" on t.*", ""))
        .containsSubsequence("     0.000 ms  client-1", "     0.000 ms  client-2");
  }

  @Test
  void askingAgainAndAgainIsOneLine() {
    call("attempt(a id=1 patience=PT3S)", "Busy[recheck=PT3S]");
    call("attempt(a id=1 patience=PT2S)", "Busy[recheck=PT2S]");
    call("attempt(a id=1 patience=PT1S)", "Busy[recheck=PT1S]");
    call("attempt(a id=1 patience=PT1S)", "granted, token 3");
    call("attempt(a id=2 patience=PT1S)", "granted, token 3");

    List<String> lines = SpiCall.lines(all(), start);
    assertThat(lines).hasSize(4);
    assertThat(lines.get(1)).contains("patience=PT3S): Busy", ", and 2 times more until ");
    assertThat(lines.get(2)).contains("id=1", "granted");
    assertThat(lines.get(3)).contains("id=2", "granted");
  }

  @Test
  void onlyTheLastAreKeptAndFewerAreTold() {
    for (int i = 0; i < 2 * SpiTrace.MOST_KEPT; i++) {
      call("attempt(lock-" + i + ")", "Busy");
    }
    List<String> lines = SpiCall.lines(all(), start);
    assertThat(lines).hasSize(1 + SpiTrace.MOST_TOLD);
    assertThat(lines.get(lines.size() - 1)).contains("lock-3999)");
    assertThat(trace.calls(start, System.nanoTime(), "lock-2000")).hasSize(1);
    assertThat(trace.calls(start, System.nanoTime(), "lock-1999")).isEmpty();
  }

  @Test
  void whatIsAskedForIsALockAndATime() {
    call("attempt(a)", "Busy");
    long between = System.nanoTime();
    call("attempt(a)", "granted, token 3");
    call("attempt(b)", "Busy");

    assertThat(trace.calls(start, between, "a")).hasSize(1);
    assertThat(trace.calls(between, System.nanoTime(), "a"))
        .singleElement()
        .extracting(SpiCall::answer)
        .isEqualTo("granted, token 3");
  }

  @Test
  void aLockIsFoundByItsWholeNameAndWithItWhatIsAboutAll() {
    call("attempt(tck:X1:7:1)", "Busy");
    call("attempt(tck:X1:7:10)", "Busy");
    call("inDoubt()", "returned");

    assertThat(trace.calls(start, System.nanoTime(), "tck:X1:7:1"))
        .extracting(SpiCall::call)
        .containsExactly("attempt(tck:X1:7:1)", "inDoubt()");
  }
}
