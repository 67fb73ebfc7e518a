package dev.interlock.tck.internal.history;

import dev.interlock.tck.internal.history.Judgement.Answer;
import dev.interlock.tck.internal.history.Operation.Kind;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Looks for an order of the calls, each at some moment between its beginning and its end, in which
 * a {@link Mutex} would have answered as the provider did.
 *
 * <p>The search is that of J. M. Wing and C. Gong, Testing and Verifying Concurrent Objects,
 * Journal of Parallel and Distributed Computing 17 (1993), which remembers the sets of calls that
 * it has put in order already, as G. Lowe does in Testing for Linearizability, Concurrency and
 * Computation 29 (2017). The state of the mutex follows from the set, so the set alone is
 * remembered. It is bounded: a search that takes too many steps ends undecided.
 */
public final class Linearizability {
  private static final int MOST_STEPS = 200_000;

  private record Step(BitSet done, Mutex state) {}

  private Linearizability() {}

  /** Judges the calls; those on each name stand for themselves. */
  public static Judgement check(List<Operation> operations) {
    Map<String, List<Operation>> byName = operations.stream()
        .sorted(Comparator.comparingLong(Operation::called))
        .collect(Collectors.groupingBy(Operation::name, TreeMap::new, Collectors.toList()));
    boolean decided = true;
    for (List<Operation> calls : byName.values()) {
      Answer answer = search(calls);
      if (answer == Answer.NO) {
        return new Judgement(answer, describe(shortest(calls)));
      }
      decided &= answer == Answer.YES;
    }
    return new Judgement(decided ? Answer.YES : Answer.UNDECIDED, List.of());
  }

  /** Searches for an order; the calls are sorted by their beginning. */
  private static Answer search(List<Operation> calls) {
    Deque<Step> stack = new ArrayDeque<>();
    Set<BitSet> seen = new HashSet<>();
    stack.push(new Step(new BitSet(), Mutex.FREE));
    int steps = 0;
    while (!stack.isEmpty()) {
      Step step = stack.pop();
      if (isComplete(calls, step.done())) {
        return Answer.YES;
      }
      steps++;
      if (steps > MOST_STEPS) {
        return Answer.UNDECIDED;
      }
      for (int next : candidates(calls, step.done())) {
        Mutex state = step.state().after(calls.get(next));
        if (state == null) {
          continue;
        }
        BitSet done = (BitSet) step.done().clone();
        done.set(next);
        if (seen.add(done)) {
          stack.push(new Step(done, state));
        }
      }
    }
    return Answer.NO;
  }

  /** Those that can come next: no other one that is left had ended before they began. */
  private static List<Integer> candidates(List<Operation> calls, BitSet done) {
    List<Integer> candidates = new ArrayList<>();
    long earliestEnd = Long.MAX_VALUE;
    for (int i = done.nextClearBit(0); i < calls.size(); i = done.nextClearBit(i + 1)) {
      if (calls.get(i).called() > earliestEnd) {
        break;
      }
      candidates.add(i);
      earliestEnd = Math.min(earliestEnd, calls.get(i).returned());
    }
    return candidates;
  }

  /** Whoever was not answered may have been served or not. */
  private static boolean isComplete(List<Operation> calls, BitSet done) {
    for (int i = done.nextClearBit(0); i < calls.size(); i = done.nextClearBit(i + 1)) {
      if (calls.get(i).isAnswered()) {
        return false;
      }
    }
    return true;
  }

  /** Cuts off what came after the violation was complete, and then what was over before it. */
  private static List<Operation> shortest(List<Operation> calls) {
    List<Long> ends = calls.stream()
        .filter(Operation::isAnswered)
        .map(Operation::returned)
        .sorted()
        .toList();
    int low = 0;
    int high = ends.size() - 1;
    while (low < high) {
      int middle = (low + high) / 2;
      if (search(until(calls, ends.get(middle))) == Answer.NO) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    List<Operation> part = until(calls, ends.get(low));
    for (int i = ends.size() - 1; i >= 0; i--) {
      List<Operation> rest = since(part, ends.get(i));
      if (search(rest) == Answer.NO) {
        return rest;
      }
    }
    return part;
  }

  private static List<Operation> until(List<Operation> calls, long end) {
    return calls.stream()
        .filter(call -> call.called() <= end)
        .map(call -> call.returned() > end ? call.unanswered() : call)
        .toList();
  }

  /** What is left when all that had ended by then is taken away, if nobody held the lock then. */
  private static List<Operation> since(List<Operation> calls, long start) {
    long entries = 0;
    for (Operation call : calls) {
      if (call.returned() <= start && call.kind() != Kind.REFUSED) {
        entries += call.kind() == Kind.ACQUIRED ? 1 : -1;
      }
    }
    if (entries != 0) {
      return List.of();
    }
    // A refusal that had begun by then may be due to a hold that is taken away.
    return calls.stream()
        .filter(call -> call.returned() > start)
        .filter(call -> call.called() > start || call.kind() != Kind.REFUSED)
        .toList();
  }

  private static List<String> describe(List<Operation> calls) {
    List<String> lines = new ArrayList<>();
    lines.add("no order of these calls on \"" + calls.get(0).name() + "\" explains their answers");
    long start = calls.get(0).called();
    for (Operation call : calls) {
      String end = call.isAnswered()
          ? String.format(Locale.ROOT, "%+.3f ms", (call.returned() - start) / 1e6)
          : "not answered";
      lines.add(String.format(
          Locale.ROOT, "%+12.3f ms to %s  %s", (call.called() - start) / 1e6, end, words(call)));
    }
    return lines;
  }

  private static String words(Operation call) {
    return call.owner()
        + switch (call.kind()) {
          case ACQUIRED -> " acquired" + (call.token() == 0 ? "" : " with token " + call.token());
          case REFUSED -> " was refused";
          case RELEASED -> " released";
        };
  }
}
