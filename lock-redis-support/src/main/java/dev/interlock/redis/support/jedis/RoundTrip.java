package dev.interlock.redis.support.jedis;

/**
 * How long the server takes to answer, and what follows from it: how many batches should be on
 * their way at a time. Thread-safe; an update that gets lost does no harm.
 *
 * <p>While a batch is on its way, commands gather for the next one. With a server nearby that costs
 * less than sending each at once, since a batch is one write and one read on either side. With a
 * server far away it would make them wait for nothing, so there are as many senders as it takes for
 * one to come back every {@value #TURN_NANOS} ns.
 */
final class RoundTrip {
  private static final long TURN_NANOS = 250_000;

  /** How slowly it believes that the way has become longer: a JVM that starts is slow as well. */
  private static final int RELUCTANCE = 128;

  private final int most;
  private volatile long nanos = TURN_NANOS / 2;
  private volatile int senders = 1;

  /**
   * Begins as if the server were nearby.
   *
   * @param most senders
   */
  RoundTrip(int most) {
    this.most = most;
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
      int wanted = (int) Math.min(most, 1 + next / TURN_NANOS);
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
