package dev.interlock.internal;

import dev.interlock.Capability;
import dev.interlock.HoldInfo;
import dev.interlock.LockConfig;
import dev.interlock.Option;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.ClientId;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.LockProvider;
import dev.interlock.spi.Release;
import dev.interlock.spi.ReleaseResult;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import dev.interlock.spi.RenewalResult;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Just enough of a backend for one client: leases never run out. */
final class StubProvider implements LockProvider, LockBackend {
  private final Map<String, HoldId> holders = new HashMap<>();
  private long token;

  @Override
  public String id() {
    return "stub";
  }

  @Override
  public Set<Capability> capabilities() {
    return EnumSet.of(Capability.RENEWABLE, Capability.FENCED);
  }

  @Override
  public List<Option<?>> options() {
    return List.of();
  }

  @Override
  public LockBackend open(LockConfig config, ClientId client) {
    return this;
  }

  @Override
  public synchronized AttemptResult attempt(Attempt attempt) {
    HoldId holder = holders.putIfAbsent(attempt.name(), attempt.id());
    if (holder != null && !holder.equals(attempt.id())) {
      return new AttemptResult.Busy(Duration.ofSeconds(1));
    }
    token += attempt.tokens();
    return new AttemptResult.Granted(token - attempt.tokens() + 1, attempt.tokens());
  }

  @Override
  public synchronized void renew(List<Renewal> batch, RenewalAnswers answers) {
    batch.forEach(renewal -> answers.answer(renewal, renew(renewal)));
  }

  private RenewalResult renew(Renewal renewal) {
    return renewal.id().equals(holders.get(renewal.name()))
        ? new RenewalResult.Held(0, 1)
        : new RenewalResult.Gone();
  }

  @Override
  public synchronized ReleaseResult release(Release release) {
    return holders.remove(release.name(), release.id())
        ? ReleaseResult.RELEASED
        : ReleaseResult.NOT_HELD;
  }

  @Override
  public synchronized void abandon(String name, HoldId id) {
    holders.remove(name, id);
  }

  @Override
  public synchronized Optional<HoldInfo> inspect(String name) {
    Duration lease = Duration.ofDays(1);
    return Optional.ofNullable(holders.get(name))
        .map(id -> new HoldInfo(name, id.toString(), "stub", Instant.EPOCH, lease, token, 0));
  }

  @Override
  public synchronized boolean forceRelease(String name, long fencingToken) {
    return holders.remove(name) != null;
  }

  @Override
  public String server() {
    return "stub";
  }

  @Override
  public void close() {}
}
