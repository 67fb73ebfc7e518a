package dev.interlock.quorum;

import dev.interlock.HoldInfo;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.BackendEvents;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import java.util.List;
import java.util.Optional;

/**
 * A backend that does what a sound one does, but for what a test has it do otherwise. It hands
 * nothing on, as ForwardingBackend does: each release is one call, which a test can change.
 */
interface Forwarding extends LockBackend {

  LockBackend sound();

  @Override
  default void subscribe(BackendEvents events) {
    sound().subscribe(events);
  }

  @Override
  default AttemptResult attempt(Attempt attempt) {
    return sound().attempt(attempt);
  }

  @Override
  default void renew(List<Renewal> batch, RenewalAnswers answers) {
    sound().renew(batch, answers);
  }

  @Override
  default boolean release(String name, HoldId id) {
    return sound().release(name, id);
  }

  @Override
  default void abandon(String name, HoldId id) {
    sound().abandon(name, id);
  }

  @Override
  default Optional<HoldInfo> inspect(String name) {
    return sound().inspect(name);
  }

  @Override
  default boolean forceRelease(String name, long fencingToken) {
    return sound().forceRelease(name, fencingToken);
  }

  @Override
  default String server() {
    return sound().server();
  }

  @Override
  default void close() {
    sound().close();
  }
}
