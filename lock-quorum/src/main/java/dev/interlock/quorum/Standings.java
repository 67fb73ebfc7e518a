package dev.interlock.quorum;

import dev.interlock.spi.HoldId;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** The attempts and holds of this client, by the ids of the engine. Thread-safe. */
final class Standings {
  private static final long SWEEP = Duration.ofSeconds(30).toNanos();

  private final int members;
  private final Map<HoldId, Standing> all = new ConcurrentHashMap<>();

  /** The engine's ids, by others under which the members know them. */
  private final Map<HoldId, HoldId> renamed = new ConcurrentHashMap<>();

  private final AtomicLong sweptAt = new AtomicLong(System.nanoTime());

  Standings(int members) {
    this.members = members;
  }

  @Nullable
  Standing get(HoldId id) {
    return all.get(id);
  }

  /** That of an id, which is made if there is none. */
  Standing of(String name, HoldId id) {
    return all.computeIfAbsent(id, any -> new Standing(name, id, members));
  }

  /** Lets an attempt go on by another id on the members. */
  Standing rename(Standing spent) {
    Standing next = spent.renamed();
    renamed.put(next.memberId(), next.id());
    all.put(next.id(), next);
    renamed.remove(spent.memberId());
    return next;
  }

  /** Whom a member means; null if it means an id that an attempt has left behind. */
  @Nullable
  HoldId meant(HoldId memberId) {
    HoldId id = renamed.getOrDefault(memberId, memberId);
    Standing standing = all.get(id);
    return standing == null || standing.memberId().equals(memberId) ? id : null;
  }

  void remove(Standing standing) {
    if (all.remove(standing.id(), standing)) {
      renamed.remove(standing.memberId());
    }
  }

  /** A lease may end without a release, for example if it was kept on purpose. */
  void sweep() {
    long now = System.nanoTime();
    long before = sweptAt.get();
    if (now - before > SWEEP && sweptAt.compareAndSet(before, now)) {
      all.values().stream().filter(Standing::isForgotten).forEach(this::remove);
    }
  }
}
