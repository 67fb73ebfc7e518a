package dev.interlock.cli;

import dev.interlock.HoldInfo;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/** Held locks for programs. Fields are added here, never renamed or removed. */
final class HoldJson {
  private static final JsonMapper MAPPER = JsonMapper.builder().build();

  /** One held lock. */
  record Lock(
      String name,
      String owner,
      String host,
      String since,
      long remainingMillis,
      long fencingToken,
      int waiters,
      int units,
      int capacity,
      List<Lock> others) {
    static Lock of(HoldInfo hold) {
      return new Lock(
          hold.name(),
          hold.owner(),
          hold.host(),
          hold.since().toString(),
          hold.remaining().toMillis(),
          hold.fencingToken(),
          hold.waiters(),
          hold.units(),
          hold.capacity(),
          hold.others().stream().map(Lock::of).toList());
    }
  }

  /** What is held. */
  record Listing(String at, List<Lock> locks, boolean more) {}

  /** What a forced release found, and whether it took the lock. */
  record Forced(boolean forced, @Nullable Lock lock) {}

  private HoldJson() {}

  static String of(HoldInfo hold) {
    return MAPPER.writeValueAsString(Lock.of(hold));
  }

  static String of(HeldLocks held, Instant at) {
    List<Lock> locks = held.locks().stream().map(Lock::of).toList();
    return MAPPER.writeValueAsString(new Listing(at.toString(), locks, held.more()));
  }

  static String forced(@Nullable HoldInfo hold, boolean taken) {
    return MAPPER.writeValueAsString(new Forced(taken, hold == null ? null : Lock.of(hold)));
  }
}
