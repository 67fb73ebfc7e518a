package dev.interlock.quorum;

import dev.interlock.Capability;
import dev.interlock.HoldInfo;
import dev.interlock.HostPort;
import dev.interlock.LockConfig;
import dev.interlock.Option;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.BackendContext;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.LockProvider;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import dev.interlock.spi.RenewalResult;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Members of a quorum that lie: a sound backend of redis-setnx behind one that breaks a promise.
 */
public final class LyingProvider implements LockProvider {
  /** What it does wrong. */
  enum Lie {
    /** Says that a token was recorded, and does not record it. */
    RECORDS_NO_TOKEN,
    /** Answers for ever that the quorum's mark is there, as if nothing were ever lost. */
    FORGETS_IN_SECRET,
    /** Gives back only what it has said to have granted: not what it could not say. */
    RELEASES_ONLY_GRANTS,
    /** Declares that it keeps what it has answered, which is not for the rules Q to judge. */
    DECLARES_DURABLE
  }

  private static final Option<List<HostPort>> HOSTS = Option.hosts(null).mandatory();
  private static final Option<Lie> LIE = Option.choice("lie", Lie.class, Lie.RECORDS_NO_TOKEN);

  @Override
  public String id() {
    return "lying";
  }

  @Override
  public Set<Capability> capabilities(LockConfig config) {
    Set<Capability> declared = EnumSet.of(Capability.RENEWABLE, Capability.FENCED, Capability.PUSH);
    if (config.get(LIE) == Lie.DECLARES_DURABLE) {
      declared.add(Capability.DURABLE);
    }
    return declared;
  }

  @Override
  public List<Option<?>> options() {
    return List.of(HOSTS, LIE);
  }

  @Override
  public LockBackend open(LockConfig config, BackendContext context) {
    HostPort server = config.get(HOSTS).get(0);
    String uri = "redis-setnx://%s:%d?timeout=PT1S"
        .formatted(server.host(), server.port().orElseThrow());
    return new Liar(context.open(LockConfig.parse(uri)), config.get(LIE));
  }

  private record Liar(LockBackend sound, Lie lie, Map<String, HoldInfo> seen, Set<HoldId> granted)
      implements Forwarding {

    Liar(LockBackend sound, Lie lie) {
      this(sound, lie, new ConcurrentHashMap<>(), ConcurrentHashMap.newKeySet());
    }

    @Override
    public AttemptResult attempt(Attempt attempt) {
      AttemptResult result = sound.attempt(attempt);
      if (result instanceof Grant) {
        granted.add(attempt.id());
      }
      return result;
    }

    private boolean isLeft(HoldId id) {
      return lie == Lie.RELEASES_ONLY_GRANTS && !granted.contains(id);
    }

    @Override
    public void renew(List<Renewal> batch, RenewalAnswers answers) {
      if (lie != Lie.RECORDS_NO_TOKEN) {
        sound.renew(batch, answers);
        return;
      }
      List<Renewal> plain = new ArrayList<>();
      batch.forEach(any -> plain.add(Renewal.of(any.name(), any.id(), any.lease(), any.queued())));
      List<RenewalResult> results = RenewalAnswers.collect(sound, plain);
      for (int i = 0; i < batch.size(); i++) {
        Renewal asked = batch.get(i);
        answers.answer(
            asked,
            results.get(i) instanceof Grant held
                ? RenewalResult.held(asked, Math.max(held.fencingToken(), asked.minToken()))
                : results.get(i));
      }
    }

    @Override
    public boolean release(String name, HoldId id) {
      return !isLeft(id) && sound.release(name, id);
    }

    @Override
    public void abandon(String name, HoldId id) {
      if (!isLeft(id)) {
        sound.abandon(name, id);
      }
    }

    @Override
    public Optional<HoldInfo> inspect(String name) {
      Optional<HoldInfo> now = sound.inspect(name);
      if (lie != Lie.FORGETS_IN_SECRET || !Memory.isItsOwn(name)) {
        return now;
      }
      now.ifPresent(hold -> seen.putIfAbsent(name, hold));
      return Optional.ofNullable(seen.get(name));
    }
  }
}
