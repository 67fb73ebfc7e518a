package dev.interlock.spring.internal.observability;

import dev.interlock.LostReason;
import dev.interlock.spring.internal.client.ClientListener;
import dev.interlock.spring.internal.client.ClientNames;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;

/** Knows what this application holds. */
public final class HeldLocks implements ClientListener {

  /**
   * A lock that this application holds.
   *
   * @param client whose lock it is
   * @param name its name
   * @param fencingToken its token; 0 where the provider is not FENCED
   * @param since when it was acquired, by this application's clock
   */
  public record HeldLock(String client, String name, long fencingToken, Instant since) {}

  private record Key(String client, String name, long fencingToken) {}

  private final String client;

  /** Those of all clients. */
  private final ConcurrentHashMap<Key, Instant> held;

  public HeldLocks() {
    this(ClientNames.DEFAULT, new ConcurrentHashMap<>());
  }

  private HeldLocks(String client, ConcurrentHashMap<Key, Instant> held) {
    this.client = client;
    this.held = held;
  }

  @Override
  public HeldLocks forClient(String named) {
    return new HeldLocks(named, held);
  }

  @Override
  public void acquired(String name, long fencingToken, Duration waited) {
    held.put(new Key(client, name, fencingToken), Instant.now());
  }

  @Override
  public void released(String name, long fencingToken, Duration time) {
    held.remove(new Key(client, name, fencingToken));
  }

  @Override
  public void lost(String name, long fencingToken, LostReason reason) {
    held.remove(new Key(client, name, fencingToken));
  }

  public List<HeldLock> list() {
    return held.entrySet().stream()
        .map(entry -> new HeldLock(
            entry.getKey().client(),
            entry.getKey().name(),
            entry.getKey().fencingToken(),
            entry.getValue()))
        .sorted(Comparator.comparing(HeldLock::name).thenComparing(HeldLock::client))
        .toList();
  }
}
