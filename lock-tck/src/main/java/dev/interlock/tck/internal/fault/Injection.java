package dev.interlock.tck.internal.fault;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A fault that waits for its moment: the nth request that contains some bytes. Knows how often it
 * was really hit. Thread-safe.
 */
public final class Injection {
  private final MessageFault fault;
  private final byte[] pattern;
  private final Duration delay;
  private final AtomicInteger toSkip;
  private final AtomicInteger remaining;
  private final AtomicInteger hits = new AtomicInteger();
  private final CountDownLatch freed = new CountDownLatch(1);

  private Injection(MessageFault fault, byte[] pattern, int nth, int times, Duration delay) {
    this.fault = fault;
    this.pattern = pattern;
    this.delay = delay;
    this.toSkip = new AtomicInteger(nth - 1);
    this.remaining = new AtomicInteger(times);
  }

  /**
   * Plans a fault.
   *
   * @param fault what happens
   * @param bytes what the request contains; empty for any request
   * @param nth which of them is the first to be harmed, from 1
   * @param times how many are harmed
   * @param delay how late something comes, for the faults that are about it
   */
  public static Injection of(MessageFault fault, String bytes, int nth, int times, Duration delay) {
    return new Injection(fault, bytes.getBytes(StandardCharsets.UTF_8), nth, times, delay);
  }

  /** Returns how often it was really hit. */
  public int hits() {
    return hits.get();
  }

  public MessageFault fault() {
    return fault;
  }

  Duration delay() {
    return delay;
  }

  /** Lets go what is kept back, before its delay is over. */
  public void letGo() {
    freed.countDown();
  }

  /** Keeps a request back, until the delay is over or it is let go. */
  void keepBack() {
    long end = System.nanoTime() + delay.toNanos();
    boolean interrupted = false;
    boolean over = false;
    while (!over) {
      try {
        over = freed.await(end - System.nanoTime(), TimeUnit.NANOSECONDS)
            || System.nanoTime() - end >= 0;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  void hit() {
    hits.incrementAndGet();
  }

  /** Tells whether this request is one to harm; true as often as planned. */
  boolean takes(byte[] request, int length, boolean patternsShow) {
    if (remaining.get() <= 0 || (patternsShow && !contains(request, length, pattern))) {
      return false;
    }
    if (toSkip.getAndUpdate(count -> Math.max(0, count - 1)) > 0) {
      return false;
    }
    return remaining.getAndDecrement() > 0;
  }

  static boolean contains(byte[] text, int length, byte[] pattern) {
    for (int start = 0; start + pattern.length <= length; start++) {
      int i = 0;
      while (i < pattern.length && text[start + i] == pattern[i]) {
        i++;
      }
      if (i == pattern.length) {
        return true;
      }
    }
    return false;
  }
}
