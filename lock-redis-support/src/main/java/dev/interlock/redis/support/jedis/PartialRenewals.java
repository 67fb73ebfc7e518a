package dev.interlock.redis.support.jedis;

import dev.interlock.spi.RenewalResult;
import dev.interlock.spi.RenewalResult.Failed;
import java.util.List;

/** What is answered when only some of the servers renewed their part of a batch. */
public final class PartialRenewals {
  private PartialRenewals() {}

  /**
   * Lets answers through if there are any.
   *
   * @param results one for each hold
   * @return the same
   * @throws dev.interlock.LockException if every one has failed: as the first one did
   */
  public static List<RenewalResult> orThrow(List<RenewalResult> results) {
    if (results.get(0) instanceof Failed first
        && results.stream().allMatch(Failed.class::isInstance)) {
      throw first.error();
    }
    return results;
  }
}
