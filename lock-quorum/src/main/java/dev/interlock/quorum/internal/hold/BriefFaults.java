package dev.interlock.quorum.internal.hold;

import dev.interlock.quorum.internal.member.Member;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Since when members fail those who wait for a lock. For each lock apart, as a member may fail one
 * of them and answer for the others, or refuse writes and answer to looks. Thread-safe.
 */
final class BriefFaults {
  /** Longer than the pause between two looks of one who waits: they leave together. */
  private static final long FORGOTTEN = Duration.ofSeconds(4).toNanos();

  private record Place(String lock, Member member) {}

  /** Both as {@link System#nanoTime()} counts. */
  private record Fault(long since, long last) {}

  /** Of those for whom somebody waits, and which have not answered since. */
  private final Map<Place, Fault> faults = new ConcurrentHashMap<>();

  /** A member has failed one who waits. Answers whether it began to within the last second. */
  boolean failed(String lock, Member member) {
    long now = System.nanoTime();
    Fault fault = faults.compute(
        new Place(lock, member),
        (place, known) ->
            new Fault(known == null || now - known.last > FORGOTTEN ? now : known.since, now));
    return now - fault.since < Member.SILENT.toNanos();
  }

  /** A member has answered for a lock. */
  void answered(String lock, Member member) {
    if (!faults.isEmpty()) {
      faults.remove(new Place(lock, member));
    }
  }

  /** Forgets those of which nobody has heard for long. */
  void sweep() {
    long now = System.nanoTime();
    faults.values().removeIf(fault -> now - fault.last > FORGOTTEN);
  }
}
