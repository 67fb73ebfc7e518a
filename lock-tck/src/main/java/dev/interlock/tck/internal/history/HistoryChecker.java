package dev.interlock.tck.internal.history;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Judges the merged holds of several JVMs in O(n log n). */
public final class HistoryChecker {
  private HistoryChecker() {}

  /**
   * Looks for two holds of different owners on one name that overlap.
   *
   * @return the earliest such pair
   */
  public static Optional<Violation> overlap(List<Hold> holds) {
    return firstOf(holds, HistoryChecker::overlapOnOneName);
  }

  /**
   * Looks for a hold whose token is not larger than that of an earlier hold on the same name. A
   * re-entry of the same owner keeps the token.
   *
   * @return the earliest such pair
   */
  public static Optional<Violation> tokenOrder(List<Hold> holds) {
    return firstOf(holds, HistoryChecker::tokenOrderOnOneName);
  }

  private static Optional<Violation> firstOf(
      List<Hold> holds, Function<List<Hold>, Optional<Violation>> check) {
    Map<String, List<Hold>> byName = holds.stream()
        // A lease that had expired before acquire returned it guards nothing; L2 forbids it.
        .filter(hold -> !hold.isEmpty())
        .sorted(Comparator.comparingLong(Hold::acquired))
        .collect(Collectors.groupingBy(Hold::name));
    return byName.values().stream()
        .map(check)
        .flatMap(Optional::stream)
        .min(Comparator.comparingLong(violation -> violation.second().acquired()));
  }

  private static Optional<Violation> overlapOnOneName(List<Hold> sorted) {
    Hold latest = null; // the one that ends last
    for (Hold hold : sorted) {
      // If the latest is the owner's own, the others had ended when it began, or it would have
      // been the rival of one of them.
      if (latest != null
          && !latest.owner().equals(hold.owner())
          && latest.end() > hold.acquired()) {
        String what =
            "\"" + hold.name() + "\" was held by " + latest.owner() + " and " + hold.owner();
        return Optional.of(new Violation(what + " at once", latest, hold));
      }
      if (latest == null || hold.end() > latest.end()) {
        latest = hold;
      }
    }
    return Optional.empty();
  }

  private static Optional<Violation> tokenOrderOnOneName(List<Hold> sorted) {
    Hold largest = null;
    for (Hold hold : sorted) {
      if (largest != null && hold.token() <= largest.token() && !reentry(largest, hold)) {
        String what =
            "\"" + hold.name() + "\": token " + hold.token() + " came after " + largest.token();
        return Optional.of(new Violation(what, largest, hold));
      }
      if (largest == null || hold.token() > largest.token()) {
        largest = hold;
      }
    }
    return Optional.empty();
  }

  private static boolean reentry(Hold outer, Hold inner) {
    return outer.owner().equals(inner.owner())
        && outer.token() == inner.token()
        && outer.end() > inner.acquired();
  }
}
