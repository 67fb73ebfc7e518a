package dev.interlock.quorum;

import dev.interlock.Capability;
import dev.interlock.LockConfig;
import dev.interlock.Option;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.BackendContext;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.LockProvider;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A quorum that counts a lease from the last answer: it asks its members, and tells the engine of
 * their grants when that asks once more, without asking them again.
 */
public final class LateProvider implements LockProvider {
  private static final Duration LATER = Duration.ofMillis(500);

  private final QuorumProvider sound = new QuorumProvider();

  @Override
  public String id() {
    return "late-quorum";
  }

  @Override
  public Set<Capability> capabilities(LockConfig config) {
    return sound.capabilities(config);
  }

  @Override
  public List<Option<?>> options() {
    return sound.options();
  }

  @Override
  public List<String> conflicts(LockConfig config) {
    return sound.conflicts(config);
  }

  @Override
  public LockBackend open(LockConfig config, BackendContext context) {
    return new Late(sound.open(config, context), new ConcurrentHashMap<>());
  }

  private record Late(LockBackend sound, Map<HoldId, Grant> grants) implements Forwarding {

    @Override
    public AttemptResult attempt(Attempt attempt) {
      Grant earlier = grants.remove(attempt.id());
      if (earlier != null) {
        return AttemptResult.granted(attempt, earlier.fencingToken());
      }
      AttemptResult result = sound.attempt(attempt);
      if (result instanceof Grant grant && attempt.waits()) {
        grants.put(attempt.id(), grant);
        return AttemptResult.busy(LATER);
      }
      return result;
    }
  }
}
