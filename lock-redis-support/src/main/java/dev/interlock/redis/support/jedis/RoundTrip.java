package dev.interlock.redis.support.jedis;

/**
 * How long the server takes to answer, and what follows from it: how many batches should be on
 * their way at a time. Thread-safe; an update that gets lost does no harm.
 *
 * <p>While batches are on their way, commands gather for the next one. With a server nearby that
 * costs less than sending each at once, since a batch is one write and one read on either side;
 * with only one batch on its way, though, client and server would take turns, and each would be
 * idle half of the time. With a server far away commands would wait for nothing, so there are more
 * senders the longer it takes: one more for every {@value #TURN_NANOS} ns.
 */
final class RoundTrip {
  private static final long TURN_NANOS = 250_000;

  /**
   * With 16 threads on 16 locks and a server on the same 2 cores, 4 did a fifth more than 1, for a
   * quarter more CPU time a section; 8 did hardly more than that.
   */
  private static final int FEWEST = 4;

  /** How slowly it believes that the way has become longer: a JVM that starts is slow as well. */
  private static final int RELUCTANCE = 128;

  private final int most;
  private volatile long nanos = TURN_NANOS / 2;
  private volatile int senders;

  /**
   * Begins as if the server were nearby.
   *
   * @param most senders
   */
  RoundTrip(int most) {
    this.most = most;
    this.senders = Math.min(most, FEWEST);
  }

  /**
   * Learns from a round trip. What is shorter is believed at once, since nothing but the way there
   * and back is in it; what is longer may be a busy machine's fault.
   *
   * @param measured nanoseconds
   */
  void took(long measured) {
    long known = nanos;
    long next = known == 0 || measured < known ? measured : known + (measured - known) / RELUCTANCE;
    if (next != known) {
      nanos = next;
      int wanted = (int) Math.min(most, FEWEST + next / TURN_NANOS);
      if (wanted != senders) {
        senders = wanted;
      }
    }
  }

  /** How many threads should send at a time, at least one. */
  int senders() {
    return senders;
  }
}
