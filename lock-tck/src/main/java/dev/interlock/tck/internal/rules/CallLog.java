package dev.interlock.tck.internal.rules;

import dev.interlock.tck.internal.history.Operation;
import dev.interlock.tck.internal.history.Operation.Kind;
import java.util.ArrayList;
import java.util.List;

/** The first calls of one thread. For one thread. */
final class CallLog {
  private static final int MOST = 150;

  private final List<Operation> calls = new ArrayList<>();

  /** Notes a call that has just ended. */
  void add(Kind kind, String name, long token, long called) {
    if (calls.size() < MOST) {
      String owner = Thread.currentThread().getName();
      calls.add(new Operation(kind, name, owner, token, called, System.nanoTime()));
    }
  }

  /** Returns the calls, in the order they were made. */
  List<Operation> calls() {
    return calls;
  }

  /**
   * Puts the logs of several threads together, up to the moment when the first of them was full.
   */
  static List<Operation> merged(List<List<Operation>> logs) {
    long end = logs.stream()
        .filter(log -> log.size() >= MOST)
        .mapToLong(log -> log.get(log.size() - 1).returned())
        .min()
        .orElse(Long.MAX_VALUE);
    return logs.stream()
        .flatMap(List::stream)
        .filter(call -> call.called() <= end)
        .map(call -> call.returned() > end ? call.unanswered() : call)
        .toList();
  }
}
