package dev.interlock.tck.internal.history;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

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
    Hold latest = null;
    Hold latestOfOthers = null; // ends last among those whose owner is not latest's
    for (Hold hold : sorted) {
      Hold rival = latest != null && latest.owner().equals(hold.owner()) ? latestOfOthers : latest;
      if (rival != null && rival.end() > hold.acquired()) {
        String what =
            "\"" + hold.name() + "\" was held by " + rival.owner() + " and " + hold.owner();
        return Optional.of(new Violation(what + " at once", rival, hold));
      }
      if (latest == null || latest.owner().equals(hold.owner())) {
        latest = later(latest, hold);
      } else if (hold.end() > latest.end()) {
        latestOfOthers = latest;
        latest = hold;
      } else {
        latestOfOthers = later(latestOfOthers, hold);
      }
    }
    return Optional.empty();
  }

  private static Hold later(@Nullable Hold known, Hold hold) {
    return known == null || hold.end() > known.end() ? hold : known;
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
