package dev.interlock.internal;

import dev.interlock.Lease;
import dev.interlock.LockException;
import dev.interlock.LostReason;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Several leases as one: valid while all are, lost when one is. */
final class MultiLease implements Lease {
  private final List<Lease> parts;
  private final CompletableFuture<LostReason> lost = new CompletableFuture<>();

  MultiLease(List<Lease> parts) {
    this.parts = List.copyOf(parts);
    for (Lease part : this.parts) {
      var unused = part.lost().thenAccept(lost::complete);
    }
  }

  @Override
  public String name() {
    return parts.stream().map(Lease::name).collect(Collectors.joining(","));
  }

  @Override
  public long fencingToken() {
    throw new UnsupportedOperationException(
        "a lease on several locks has a fencing token for each of them: see parts()");
  }

  @Override
  public Duration remaining() {
    return parts.stream().map(Lease::remaining).min(Comparator.naturalOrder()).orElseThrow();
  }

  @Override
  public boolean isValid() {
    return parts.stream().allMatch(Lease::isValid);
  }

  @Override
  public void ensureValid() {
    parts.forEach(Lease::ensureValid);
  }

  @Override
  public boolean extend(Duration lease) {
    boolean all = true;
    for (Lease part : parts) {
      all &= part.extend(lease);
    }
    return all;
  }

  @Override
  public CompletionStage<LostReason> lost() {
    return lost.minimalCompletionStage();
  }

  @Override
  public void release() {
    onAll(Lease::release);
  }

  @Override
  public void close() {
    onAll(Lease::close);
  }

  @Override
  public List<Lease> parts() {
    return parts;
  }

  /** Last taken, first released; a failure does not keep the others from being released. */
  private void onAll(Consumer<Lease> action) {
    @Nullable LockException first = null;
    for (int i = parts.size() - 1; i >= 0; i--) {
      try {
        action.accept(parts.get(i));
      } catch (LockException e) {
        if (first == null) {
          first = e;
        } else {
          first.addSuppressed(e);
        }
      }
    }
    if (first != null) {
      throw first;
    }
  }

  @Override
  public String toString() {
    return "Lease" + parts;
  }
}
