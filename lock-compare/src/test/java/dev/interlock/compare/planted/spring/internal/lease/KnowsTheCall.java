package dev.interlock.compare.planted.spring.internal.lease;

import dev.interlock.compare.planted.spring.internal.call.UsesALease;

/** A lease that knows who works under it. */
public interface KnowsTheCall {
  UsesALease call();
}
