package dev.interlock.compare.facts;

import dev.interlock.compare.cli.Errors;
import dev.interlock.tck.TckClock;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

/** The main class of a JVM whose wall clock is set while clients in it hold and wait. */
final class ClockMain {
  /** Sets the clock. Other commands are for the first or the second client. */
  static final String SET = "set ";

  private ClockMain() {}

  public static void main(String[] args) throws IOException {
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    String uri = in.readLine();
    try (ClockParty first = new ClockParty(uri);
        ClockParty second = new ClockParty(uri)) {
      List<ClockParty> parties = List.of(first, second);
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        System.out.println(answer(parties, line));
      }
    }
  }

  private static String answer(List<ClockParty> parties, String line) {
    try {
      if (line.startsWith(SET)) {
        TckClock.set(Duration.parse(line.substring(SET.length())));
        return "set";
      }
      return parties.get(Integer.parseInt(line.substring(0, 1))).obey(line.substring(2));
    } catch (InterruptedException | RuntimeException e) {
      return Errors.describe(e).replace('\n', ' ');
    }
  }
}
