package dev.interlock.tck.internal.history;

import java.util.ArrayList;
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
   * Looks for a hold that does not fit beside those that had begun before and had not ended.
   *
   * @return the earliest such hold, and the one beside it that ends last
   */
  public static Optional<Violation> units(List<Hold> holds) {
    return firstOf(holds, HistoryChecker::unitsOnOneName);
  }

  private static Optional<Violation> unitsOnOneName(List<Hold> sorted) {
    List<Hold> beside = new ArrayList<>();
    for (Hold hold : sorted) {
      beside.removeIf(other -> other.end() <= hold.acquired());
      long units = hold.units();
      int capacity = hold.capacity();
      for (Hold other : beside) {
        units += other.units();
        capacity = Math.min(capacity, other.capacity());
      }
      if (units > capacity && !beside.isEmpty()) {
        Hold last = beside.stream().max(Comparator.comparingLong(Hold::end)).orElseThrow();
        String what = "\"%s\": %d units of %d were held by %d holders at once"
            .formatted(hold.name(), units, capacity, beside.size() + 1);
        return Optional.of(new Violation(what, last, hold));
      }
      beside.add(hold);
    }
    return Optional.empty();
  }

  /**
   * Looks for a hold whose token is not larger than that of an earlier hold on the same name. A
   * re-entry of the same owner keeps the token. Of two that may be held together either may have
   * been granted first.
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
    Hold largestAlone = null;
    for (Hold hold : sorted) {
      boolean alone = hold.capacity() == 1;
      Hold before = alone ? largest : largestAlone;
      if (before != null && hold.token() <= before.token() && !reentry(before, hold)) {
        String what =
            "\"" + hold.name() + "\": token " + hold.token() + " came after " + before.token();
        return Optional.of(new Violation(what, before, hold));
      }
      if (largest == null || hold.token() > largest.token()) {
        largest = hold;
      }
      if (alone && (largestAlone == null || hold.token() > largestAlone.token())) {
        largestAlone = hold;
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
