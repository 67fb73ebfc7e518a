package dev.interlock.spring.internal.lease;

import dev.interlock.Lease;
import dev.interlock.LostReason;
import java.util.concurrent.CompletionStage;

/**
 * How one call has entered a lock: by taking it, or again, within a call of its thread that took
 * it.
 *
 * @param held what the thread holds by it
 * @param lost tells of the loss of the lease, at least until the call has ended
 * @param ending gives this entry up
 */
public record Entry(LeaseScope.Held held, CompletionStage<LostReason> lost, Ending ending) {

  public Lease lease() {
    return held.lease();
  }
}
