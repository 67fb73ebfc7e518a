package dev.interlock.internal.engine;

import dev.interlock.spi.HoldId;
import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Makes hold ids. The upper half is random for each client; the lower half is a counter from a
 * random start, mixed by a bijection, so two ids of a client are never the same and none can be
 * guessed from the order of requests.
 */
public final class HoldIds {
  private final long client;
  private final AtomicLong counter;

  public HoldIds() {
    SecureRandom random = new SecureRandom();
    this.client = random.nextLong();
    this.counter = new AtomicLong(random.nextLong());
  }

  public long client() {
    return client;
  }

  public HoldId next() {
    return new HoldId(client, mix(counter.getAndIncrement()));
  }

  /** The finalizer of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014). */
  private static long mix(long value) {
    long z = (value ^ (value >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }
}
