package dev.interlock.internal.engine;

import dev.interlock.Lease;
import dev.interlock.LostReason;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/**
 * The lease of a thread-owned lock: everybody may look at it, only its thread may release it. It
 * stands for the entry that is the innermost when it is made, and never for an outer one.
 */
final class ThreadLease implements Lease {
  private final Hold hold;
  private final LeaseHandle view;

  ThreadLease(EngineClient client, Hold hold) {
    this.hold = hold;
    this.view = client.threadHandle(hold, hold.innermost());
  }

  @Override
  public String name() {
    return view.name();
  }

  @Override
  public long fencingToken() {
    return view.fencingToken();
  }

  @Override
  public Duration remaining() {
    return view.remaining();
  }

  @Override
  public boolean isValid() {
    return view.isValid();
  }

  @Override
  public void ensureValid() {
    view.ensureValid();
  }

  @Override
  public boolean extend(Duration lease) {
    return view.extend(lease);
  }

  @Override
  public CompletionStage<LostReason> lost() {
    return view.lost();
  }

  @Override
  public void release() {
    requireOwner();
    view.release();
  }

  @Override
  public void close() {
    requireOwner();
    view.close();
  }

  private void requireOwner() {
    if (view.isReleased()) {
      return; // which the view reports
    }
    if (!Thread.currentThread().equals(hold.grantee().owner())) {
      throw new IllegalMonitorStateException(
          "the current thread does not hold lock '%s' by this lease".formatted(hold.name()));
    }
  }

  @Override
  public String toString() {
    return view.toString();
  }
}
