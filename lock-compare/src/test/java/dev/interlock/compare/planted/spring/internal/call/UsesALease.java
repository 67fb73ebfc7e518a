package dev.interlock.compare.planted.spring.internal.call;

import dev.interlock.compare.planted.spring.internal.lease.KnowsTheCall;

/** A call that works under a lease. */
public interface UsesALease {
  KnowsTheCall lease();
}
