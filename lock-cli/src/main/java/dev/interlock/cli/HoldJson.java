package dev.interlock.cli;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.interlock.HoldInfo;
import dev.interlock.spi.WaiterInfo;
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
      List<Lock> others,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable List<Waiter> queue) {
    static Lock of(HoldInfo hold) {
      return of(hold, null);
    }

    /** With those who wait, if it is known who. */
    static Lock of(HoldInfo hold, @Nullable LockQueue queue) {
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
          hold.others().stream().map(Lock::of).toList(),
          queue == null || !queue.isKnown()
              ? null
              : queue.first().stream().map(Waiter::of).toList());
    }
  }

  /** One who waits. */
  record Waiter(String owner, String host, @Nullable String since, int units, int capacity) {
    static Waiter of(WaiterInfo waiter) {
      return new Waiter(
          waiter.owner(),
          waiter.host(),
          waiter.since().map(Instant::toString).orElse(null),
          waiter.units(),
          waiter.capacity());
    }
  }

  /** What is held. */
  record Listing(String at, List<Lock> locks, boolean more) {}

  /** What a forced release found, and whether it took the lock. */
  record Forced(boolean forced, @Nullable Lock lock) {}

  private HoldJson() {}

  static String of(HoldInfo hold, LockQueue queue) {
    return MAPPER.writeValueAsString(Lock.of(hold, queue));
  }

  static String of(HeldLocks held, Instant at) {
    List<Lock> locks =
        held.locks().stream().map(lock -> Lock.of(lock, held.queue())).toList();
    return MAPPER.writeValueAsString(new Listing(at.toString(), locks, held.more()));
  }

  static String forced(@Nullable HoldInfo hold, boolean taken) {
    return MAPPER.writeValueAsString(new Forced(taken, hold == null ? null : Lock.of(hold)));
  }
}
