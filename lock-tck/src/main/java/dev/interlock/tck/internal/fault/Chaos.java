package dev.interlock.tck.internal.fault;

import java.time.Duration;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** Draws faults at random; the seed repeats the draws, though not which requests they meet. */
final class Chaos {
  private static final int LONGEST_DELAY = 400;

  private final SplittableRandom random;
  private final int oneIn;

  Chaos(SplittableRandom random, int oneIn) {
    this.random = random;
    this.oneIn = oneIn;
  }

  synchronized @Nullable Injection harm() {
    if (random.nextInt(oneIn) > 0) {
      return null;
    }
    MessageFault[] faults = MessageFault.values();
    MessageFault fault = faults[random.nextInt(faults.length)];
    return Injection.of(fault, "", 1, 1, Duration.ofMillis(random.nextInt(LONGEST_DELAY)));
  }
}
