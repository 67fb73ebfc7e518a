package dev.interlock.internal.engine;

import dev.interlock.Capability;
import dev.interlock.HoldInfo;
import dev.interlock.LockConfig;
import dev.interlock.Option;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.BackendContext;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.LockProvider;
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
public class StubProvider implements LockProvider, LockBackend {
  private final Map<String, HoldId> holders = new HashMap<>();
  private long token;

  @Override
  public String id() {
    return "stub";
  }

  @Override
  public Set<Capability> capabilities(LockConfig config) {
    return EnumSet.of(Capability.RENEWABLE, Capability.FENCED);
  }

  @Override
  public List<Option<?>> options() {
    return List.of();
  }

  @Override
  public LockBackend open(LockConfig config, BackendContext context) {
    return this;
  }

  @Override
  public synchronized AttemptResult attempt(Attempt attempt) {
    HoldId holder = holders.putIfAbsent(attempt.name(), attempt.id());
    if (holder != null && !holder.equals(attempt.id())) {
      return AttemptResult.busy(Duration.ofSeconds(1));
    }
    token += attempt.tokens();
    return AttemptResult.granted(attempt, token - attempt.tokens() + 1)
        .withTokens(attempt.tokens());
  }

  @Override
  public synchronized void renew(List<Renewal> batch, RenewalAnswers answers) {
    batch.forEach(renewal -> answers.answer(renewal, renew(renewal)));
  }

  private RenewalResult renew(Renewal renewal) {
    return renewal.id().equals(holders.get(renewal.name()))
        ? RenewalResult.held(renewal, 0)
        : RenewalResult.gone();
  }

  @Override
  public synchronized boolean release(String name, HoldId id) {
    return holders.remove(name, id);
  }

  @Override
  public synchronized void abandon(String name, HoldId id) {
    holders.remove(name, id);
  }

  @Override
  public synchronized Optional<HoldInfo> inspect(String name) {
    Duration lease = Duration.ofDays(1);
    return Optional.ofNullable(holders.get(name))
        .map(id -> HoldInfo.of(name, id.toString(), "stub", Instant.EPOCH, lease, token, 0));
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
