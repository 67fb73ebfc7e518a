package dev.interlock.compare.facts;

import dev.interlock.compare.cli.ChildJvm;
import dev.interlock.compare.servers.Backend;
import dev.interlock.tck.Effort;
import dev.interlock.tck.TckClock;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** Sets the wall clock of a JVM in which one client holds a lock and waits for another one. */
final class ClientClock implements Observation {
  private static final String HELD = "fact-client-clock-held";
  private static final String AWAITED = "fact-client-clock-awaited";
  private static final Duration LEASE = Duration.ofSeconds(2);
  private static final Duration JUMP = Duration.ofMinutes(5);
  private static final Duration WATCHED = Duration.ofMillis(2500);

  /** One who is told what to do. */
  private interface Party {
    String tell(String command) throws IOException, InterruptedException;

    /** Tells it, where only one answer is right. */
    default void tell(String command, String expected) throws IOException, InterruptedException {
      String answer = tell(command);
      if (!answer.equals(expected)) {
        throw new IOException("\"" + command + "\" was answered with: " + answer);
      }
    }
  }

  @Override
  public Happening happening() {
    return Happening.CLIENT_CLOCK;
  }

  @Override
  public Fact observe(Backend backend, Effort effort) throws Exception {
    try (ChildJvm jvm = ChildJvm.start(ClockMain.class, TckClock.argument())) {
      jvm.tell(backend.uri());
      Party moved = command -> ask(jvm, "0 " + command);
      if (backend.isInOneJvm()) {
        // Its one clock is that of all.
        return seen(jvm, moved, command -> ask(jvm, "1 " + command));
      }
      try (ClockParty here = new ClockParty(backend.uri())) {
        return seen(jvm, moved, here::obey);
      }
    }
  }

  private static String ask(ChildJvm jvm, String command) throws IOException {
    jvm.tell(command);
    return jvm.read();
  }

  private Fact seen(ChildJvm jvm, Party moved, Party other) throws Exception {
    Map<String, Double> figures = new TreeMap<>();
    String forward = jump(jvm, JUMP, "Forward", moved, other, figures);
    // From there it goes back to where it was.
    String back = jump(jvm, Duration.ZERO, "Back", moved, other, figures);
    return Fact.seen(
        happening(),
        "Set forward by " + JUMP.toMinutes() + " min: " + forward + " Set back by as much: " + back,
        figures);
  }

  private static String jump(
      ChildJvm jvm, Duration to, String kind, Party moved, Party other, Map<String, Double> figures)
      throws Exception {
    String held = HELD + kind;
    String awaited = AWAITED + kind;
    other.tell("hold " + awaited + " " + LEASE, "held");
    moved.tell("wait " + awaited, "waiting");
    moved.tell("hold " + held + " " + LEASE, "held");
    other.tell("wait " + held, "waiting");
    other.tell("mark", "marked");
    moved.tell("mark", "marked");
    jvm.tell(ClockMain.SET + to);
    jvm.expect("set");
    String valid = moved.tell("valid");
    TimeUnit.NANOSECONDS.sleep(WATCHED.toNanos());
    String told = told(valid, moved.tell("told"), kind, figures);
    String got = other.tell("got");
    String early = moved.tell("got");
    String released = moved.tell("release");
    String successor = other.tell("pass");
    String pushed = pushed(early, moved, other, kind, figures);
    figures.put("otherHasItMillis" + kind, millis(got));
    return told
        + (got.equals(ClockParty.NONE)
            ? "; nobody else has the lock before its release, which "
            : "; another client has the lock after " + Text.ms(millis(got)) + "; its release ")
        + (released.equals(ClockParty.NONE) ? "returns" : "throws " + released)
        + (successor.equals(ClockParty.NONE) ? "" : "; the next one ends with " + successor)
        + ". " + pushed;
  }

  /** What becomes of the wait whose client's clock was set. */
  private static String pushed(
      String early, Party moved, Party other, String kind, Map<String, Double> figures)
      throws IOException, InterruptedException {
    String ended = moved.tell("ended");
    if (!ended.equals(ClockParty.NONE)) {
      figures.put("waiterHasItMillis" + kind, -1.0);
      String[] words = ended.split(" ", -1);
      return "A wait of " + ClockParty.LIMIT.toSeconds() + " s ends with " + words[0] + " after "
          + Text.ms(millis(words[1])) + ".";
    }
    if (!early.equals(ClockParty.NONE)) {
      figures.put("waiterHasItMillis" + kind, -1.0);
      String holder = other.tell("told").split(" ", -1)[0];
      return "A waiter has the lock after " + Text.ms(millis(early))
          + ", before the release; its holder was "
          + (holder.equals(ClockParty.NONE)
                  || holder.equals(ClockParty.NOT_OFFERED.split(" ", -1)[0])
              ? "not told."
              : "told " + holder + ".");
    }
    long start = System.nanoTime();
    String released = other.tell("release");
    String end = moved.tell("pass");
    double millis = Text.millis(System.nanoTime() - start);
    if (!end.equals(ClockParty.NONE)) {
      figures.put("waiterHasItMillis" + kind, -1.0);
      return "A wait ends with " + end + ".";
    }
    figures.put("waiterHasItMillis" + kind, millis);
    return "A waiter has had the lock, and released it, " + Text.ms(millis)
        + " after the call of the release"
        + (released.equals(ClockParty.NONE) ? "." : ", which throws " + released + ".");
  }

  private static String told(String valid, String told, String kind, Map<String, Double> figures)
      throws IOException {
    if (told.equals(ClockParty.NOT_OFFERED)) {
      return "nothing tells the holder, for the library has no notice of a loss";
    }
    if (!List.of("true", "false").contains(valid)) {
      throw new IOException("isValid was answered with: " + valid);
    }
    figures.put("valid" + kind, Boolean.parseBoolean(valid) ? 1.0 : 0.0);
    String[] words = told.split(" ", -1);
    double millis = told.equals(ClockParty.NONE) ? -1 : millis(words[1]);
    figures.put("millisUntilTold" + kind, millis);
    return "isValid is " + valid
        + (millis < 0
            ? ", and the holder is told nothing"
            : ", and lost() says " + words[0] + " after " + Text.ms(millis));
  }

  static double millis(String nanos) {
    return nanos.equals(ClockParty.NONE) ? -1 : Text.millis(Long.parseLong(nanos));
  }
}
