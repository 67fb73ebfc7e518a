package dev.interlock.local;

import dev.interlock.HoldInfo;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.BackendEvents;
import dev.interlock.spi.ClientId;
import dev.interlock.spi.HandOffBackend;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.HoldPage;
import dev.interlock.spi.HoldQuery;
import dev.interlock.spi.Release;
import dev.interlock.spi.ReleaseResult;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import dev.interlock.spi.WaiterInfo;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** One client's access to a {@link LocalSpace}. */
final class LocalBackend implements HandOffBackend {
  private final LocalSpace space;
  private final ClientId client;
  private volatile @Nullable BackendEvents events;

  LocalBackend(LocalSpace space, ClientId client) {
    this.space = space;
    this.client = client;
  }

  @Override
  public void subscribe(BackendEvents subscriber) {
    events = subscriber;
    space.join(client.id(), this);
  }

  BackendEvents events() {
    BackendEvents subscriber = events;
    if (subscriber == null) {
      throw new IllegalStateException("subscribe() comes before everything else");
    }
    return subscriber;
  }

  @Override
  public AttemptResult attempt(Attempt attempt) {
    return space.step(attempt.name(), (lock, now) -> lock.attempt(attempt, client, now));
  }

  @Override
  public void renew(List<Renewal> batch, RenewalAnswers answers) {
    for (Renewal renewal : batch) {
      answers.answer(renewal, space.step(renewal.name(), (lock, now) -> lock.renew(renewal, now)));
    }
  }

  @Override
  public ReleaseResult release(Release release) {
    return space.step(release.name(), (lock, now) -> lock.release(release, client, now));
  }

  @Override
  public void abandon(String name, HoldId id) {
    space.step(name, (lock, now) -> {
      lock.abandon(id, now);
      return true;
    });
  }

  @Override
  public Optional<HoldInfo> inspect(String name) {
    return space.step(name, (lock, now) -> lock.inspect(now));
  }

  @Override
  public Optional<List<WaiterInfo>> waiters(String name, int limit) {
    return Optional.of(space.step(name, (lock, now) -> lock.waiters(limit, now)));
  }

  @Override
  public Optional<HoldPage> list(HoldQuery query) {
    List<String> names = space.names(query);
    HoldPage page =
        HoldPage.of(names.stream().map(this::inspect).flatMap(Optional::stream).toList());
    return Optional.of(
        names.size() < query.limit() ? page : page.withNext(names.get(names.size() - 1)));
  }

  @Override
  public boolean forceRelease(String name, long fencingToken) {
    return space.step(name, (lock, now) -> lock.forceRelease(fencingToken, now));
  }

  @Override
  public String server() {
    return "JVM " + Runtime.version();
  }

  @Override
  public void close() {
    space.leave(client.id());
  }
}
