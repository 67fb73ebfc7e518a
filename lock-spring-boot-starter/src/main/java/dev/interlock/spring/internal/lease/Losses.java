package dev.interlock.spring.internal.lease;

import dev.interlock.Lease;
import dev.interlock.LeaseLostException;
import dev.interlock.LostReason;
import dev.interlock.UnsupportedCapabilityException;

/** Says that a lease was lost under work that goes on. */
public final class Losses {
  private Losses() {}

  public static LeaseLostException during(Lease lease, LostReason reason) {
    return new LeaseLostException(
        "the lease on lock '%s' was lost while its work went on: %s"
            .formatted(lease.name(), reason),
        lease.name(),
        token(lease),
        reason);
  }

  /** The fencing token; 0 where the provider is not FENCED. */
  public static long token(Lease lease) {
    try {
      return lease.fencingToken();
    } catch (UnsupportedCapabilityException e) {
      return 0;
    }
  }
}
