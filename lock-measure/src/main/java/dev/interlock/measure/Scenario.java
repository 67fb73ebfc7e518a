package dev.interlock.measure;

import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Who competes for what. Thread {@code i} uses lock {@code i % locks} through client {@code i %
 * clients}.
 *
 * @param threads how many threads lock and unlock
 * @param locks how many locks they share
 * @param clients how many client instances, each with connections of its own, they share
 */
public record Scenario(int threads, int locks, int clients) {
  public static final List<Scenario> ALL = List.of(
      new Scenario(1, 1, 1),
      new Scenario(16, 16, 1),
      new Scenario(16, 1, 1),
      new Scenario(2, 1, 2),
      new Scenario(32, 1, 2));

  private static final int MOST = 256;
  private static final Pattern ID = Pattern.compile("(\\d{1,4})t(\\d{1,4})l(\\d{1,4})c");

  public Scenario {
    if (threads < 1 || locks < 1 || clients < 1) {
      throw new IllegalArgumentException("a scenario needs a thread, a lock and a client");
    }
    if (threads > MOST || locks > threads || clients > threads) {
      throw new IllegalArgumentException(
          "a scenario has at most " + MOST + " threads, and no more locks or clients than threads");
    }
  }

  /**
   * Reads the short form.
   *
   * @param id such as {@code 16t1l1c}: 16 threads, 1 lock, 1 client
   * @throws IllegalArgumentException if it is not of this form
   */
  public static Scenario parse(String id) {
    Matcher matcher = ID.matcher(id);
    if (!matcher.matches()) {
      throw new IllegalArgumentException("'"
          + id
          + "' is not a scenario. Give threads, locks and clients as in 16t1l1c; the usual ones"
          + " are "
          + String.join(", ", ALL.stream().map(Scenario::id).toList()));
    }
    return new Scenario(number(matcher, 1), number(matcher, 2), number(matcher, 3));
  }

  private static int number(Matcher matcher, int group) {
    return Integer.parseInt(Optional.ofNullable(matcher.group(group)).orElseThrow());
  }

  public String id() {
    return threads + "t" + locks + "l" + clients + "c";
  }

  public String description() {
    return count(threads, "thread") + ", " + count(locks, "lock") + ", " + count(clients, "client");
  }

  private static String count(int n, String what) {
    return n + " " + what + (n == 1 ? "" : "s");
  }
}
