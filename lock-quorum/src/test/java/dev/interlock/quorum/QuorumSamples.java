package dev.interlock.quorum;

import dev.interlock.LockClient;
import dev.interlock.LockConfig;
import java.util.List;

/** The sample of docs/quorum.md. It only compiles. */
@SuppressWarnings("UnusedMethod")
final class QuorumSamples {
  private QuorumSamples() {}

  static void configured() {
    LockClient locks = QuorumLocks.of(List.of(
        LockConfig.parse("redis-setnx://one"),
        LockConfig.parse("redis-setnx://two"),
        LockConfig.parse("redis-setnx://three")));
    locks.close();
  }
}
