package dev.interlock.spi;

import dev.interlock.HoldInfo;
import java.util.List;
import java.util.Optional;

/**
 * Stands before another backend and has it do everything; whoever implements this overrides what is
 * to be different. It may stand before any backend, and passes on what a {@link HandOffBackend} is
 * asked for as far as the other one offers it. It is no {@link BatchBackend}, whatever the other
 * one is: a batch would go past what is different.
 */
public interface ForwardingBackend extends HandOffBackend {

  /**
   * Returns the backend behind this one.
   *
   * @return always the same
   */
  LockBackend backend();

  @Override
  default AttemptResult attempt(Attempt attempt) {
    return backend().attempt(attempt);
  }

  @Override
  default void renew(List<Renewal> batch, RenewalAnswers answers) {
    backend().renew(batch, answers);
  }

  @Override
  default ReleaseResult release(Release release) {
    return HandOffBackend.release(backend(), release);
  }

  @Override
  default void abandon(String name, HoldId id) {
    backend().abandon(name, id);
  }

  @Override
  default void abandon(String name, List<HoldId> ids) {
    HandOffBackend.abandon(backend(), name, ids);
  }

  @Override
  default Optional<HoldInfo> inspect(String name) {
    return backend().inspect(name);
  }

  @Override
  default Optional<List<WaiterInfo>> waiters(String name, int limit) {
    return backend().waiters(name, limit);
  }

  @Override
  default Optional<HoldPage> list(HoldQuery query) {
    return backend().list(query);
  }

  @Override
  default boolean forceRelease(String name, long fencingToken) {
    return backend().forceRelease(name, fencingToken);
  }

  @Override
  default boolean forceRelease(String name) {
    return backend().forceRelease(name);
  }

  @Override
  default void subscribe(BackendEvents events) {
    backend().subscribe(events);
  }

  @Override
  default String server() {
    return backend().server();
  }

  @Override
  default void close() {
    backend().close();
  }
}
