package dev.interlock.quorum;

import dev.interlock.Capability;
import dev.interlock.HoldInfo;
import dev.interlock.HostPort;
import dev.interlock.LockConfig;
import dev.interlock.Option;
import dev.interlock.quorum.internal.member.Marks;
import dev.interlock.quorum.internal.member.Memory;
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
import java.time.Duration;
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
    /** Shows each client a mark of its own: one that was not there before finds none. */
    MARKS_APART,
    /** Tells the age of a mark by the clock of whoever made it; these differ by minutes. */
    AGES_BY_MAKER,
    /** Keeps the locks of a client that finds no mark apart, as if that alone began to use it. */
    BEGINS_APART,
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
    return new Liar(
        context.open(LockConfig.parse(uri)),
        config.get(LIE),
        "@" + context.client().id());
  }

  private record Liar(
      LockBackend sound,
      Lie lie,
      String client,
      Map<String, HoldInfo> seen,
      Set<HoldId> granted,
      Map<String, Boolean> began)
      implements Forwarding {

    Liar(LockBackend sound, Lie lie, String client) {
      this(
          sound,
          lie,
          client,
          new ConcurrentHashMap<>(),
          ConcurrentHashMap.newKeySet(),
          new ConcurrentHashMap<>());
    }

    /** Under which name the server has a lock of this client's. */
    private String known(String name) {
      boolean apart = Memory.isItsOwn(name)
          ? lie == Lie.MARKS_APART
          : lie == Lie.BEGINS_APART && began.getOrDefault(Marks.NAME, false);
      return apart ? name + client : name;
    }

    @Override
    public AttemptResult attempt(Attempt asked) {
      Attempt attempt = Attempt.of(known(asked.name()), asked.id(), asked.owner(), asked.lease())
          .withPatience(asked.patience());
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
      boolean records = lie != Lie.RECORDS_NO_TOKEN;
      List<Renewal> told = new ArrayList<>();
      batch.forEach(
          any -> told.add(Renewal.of(known(any.name()), any.id(), any.lease(), any.queued())
              .withMinToken(records ? any.minToken() : 0)));
      List<RenewalResult> results = RenewalAnswers.collect(sound, told);
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
      return !isLeft(id) && sound.release(known(name), id);
    }

    @Override
    public void abandon(String name, HoldId id) {
      if (!isLeft(id)) {
        sound.abandon(known(name), id);
      }
    }

    @Override
    public boolean forceRelease(String name, long fencingToken) {
      return sound.forceRelease(known(name), fencingToken);
    }

    @Override
    public Optional<HoldInfo> inspect(String name) {
      Optional<HoldInfo> now = sound.inspect(known(name));
      began.putIfAbsent(name, now.isEmpty());
      if (lie == Lie.AGES_BY_MAKER && name.equals(Marks.NAME)) {
        return now.map(Liar::byMakersClock);
      }
      if (lie != Lie.FORGETS_IN_SECRET || !Memory.isItsOwn(name)) {
        return now;
      }
      now.ifPresent(hold -> seen.putIfAbsent(name, hold));
      return Optional.ofNullable(seen.get(name));
    }

    private static HoldInfo byMakersClock(HoldInfo mark) {
      Duration late = Duration.ofMinutes(Math.floorMod(mark.host().hashCode(), 1_000));
      return HoldInfo.of(
          mark.name(),
          mark.owner(),
          mark.host(),
          mark.since(),
          mark.remaining().minus(late),
          mark.fencingToken(),
          mark.waiters());
    }
  }
}
