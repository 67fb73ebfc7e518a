package dev.interlock.tck.internal.worker;

import dev.interlock.LockException;
import dev.interlock.LockListener;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts what a client reports to its listener, and notes when its threads began to wait. */
public final class EventCounter implements LockListener {
  private final AtomicInteger attempts = new AtomicInteger();
  private final AtomicInteger waiting = new AtomicInteger();
  private final AtomicInteger renewed = new AtomicInteger();
  private final AtomicInteger errors = new AtomicInteger();
  private final Map<Thread, Long> waitingSince = new ConcurrentHashMap<>();

  @Override
  public void attempt(String name) {
    attempts.incrementAndGet();
  }

  @Override
  public void waiting(String name) {
    waiting.incrementAndGet();
    waitingSince.put(Thread.currentThread(), System.nanoTime());
  }

  @Override
  public void renewed(String name, long fencingToken, Duration lease) {
    renewed.incrementAndGet();
  }

  @Override
  public void backendError(String operation, String name, LockException error) {
    errors.incrementAndGet();
  }

  public int attemptCount() {
    return attempts.get();
  }

  public int waitingCount() {
    return waiting.get();
  }

  /**
   * Tells when the calling thread's own request began to wait, which is after the server had
   * answered that it stands in the queue; empty if it has not waited since a moment.
   */
  public OptionalLong waitingSince(long moment) {
    Long since = waitingSince.get(Thread.currentThread());
    return since == null || since < moment ? OptionalLong.empty() : OptionalLong.of(since);
  }

  public int renewedCount() {
    return renewed.get();
  }

  public int errorCount() {
    return errors.get();
  }
}
