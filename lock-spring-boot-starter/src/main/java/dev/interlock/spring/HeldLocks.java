package dev.interlock.spring;

import dev.interlock.LockListener;
import dev.interlock.LostReason;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;

/** Knows what this application holds. */
final class HeldLocks implements LockListener {

  /**
   * A lock that this application holds.
   *
   * @param name its name
   * @param fencingToken its token; 0 where the provider is not FENCED
   * @param since when it was acquired, by this application's clock
   */
  record HeldLock(String name, long fencingToken, Instant since) {}

  private record Key(String name, long fencingToken) {}

  private final ConcurrentHashMap<Key, Instant> held = new ConcurrentHashMap<>();

  @Override
  public void acquired(String name, long fencingToken, Duration waited) {
    held.put(new Key(name, fencingToken), Instant.now());
  }

  @Override
  public void released(String name, long fencingToken, Duration time) {
    held.remove(new Key(name, fencingToken));
  }

  @Override
  public void lost(String name, long fencingToken, LostReason reason) {
    held.remove(new Key(name, fencingToken));
  }

  List<HeldLock> list() {
    return held.entrySet().stream()
        .map(entry ->
            new HeldLock(entry.getKey().name(), entry.getKey().fencingToken(), entry.getValue()))
        .sorted(Comparator.comparing(HeldLock::name))
        .toList();
  }
}
