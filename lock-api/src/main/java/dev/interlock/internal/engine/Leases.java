package dev.interlock.internal.engine;

import dev.interlock.Lease;
import dev.interlock.LeaseSet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The leases of several locks: valid while all are, lost when one is. */
final class Leases implements LeaseSet {
  private final List<Lease> asked;
  private final List<Lease> taken;
  private final CompletableFuture<Loss> lost = new CompletableFuture<>();

  /**
   * Joins leases.
   *
   * @param asked in the order of the requests
   * @param taken the same in the order in which they were acquired
   */
  Leases(List<Lease> asked, List<Lease> taken) {
    this.asked = List.copyOf(asked);
    this.taken = List.copyOf(taken);
    for (Lease lease : asked) {
      var unused = lease.lost().thenAccept(reason -> lost.complete(new Loss(lease, reason)));
    }
  }

  @Override
  public List<Lease> leases() {
    return asked;
  }

  @Override
  public Lease lease(String name) {
    return asked.stream()
        .filter(lease -> lease.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException(
            "there is no lease on lock '%s' among %s".formatted(name, asked)));
  }

  @Override
  public Duration remaining() {
    return asked.stream().map(Lease::remaining).min(Comparator.naturalOrder()).orElseThrow();
  }

  @Override
  public boolean isValid() {
    return asked.stream().allMatch(Lease::isValid);
  }

  @Override
  public void ensureValid() {
    asked.forEach(Lease::ensureValid);
  }

  @Override
  public boolean extend(Duration duration) {
    onAll(asked, lease -> lease.extend(duration));
    return isValid(); // one that was gone is not
  }

  @Override
  public CompletionStage<Loss> lost() {
    return lost.minimalCompletionStage();
  }

  @Override
  public void release() {
    lastFirst(taken, Lease::release);
  }

  @Override
  public void close() {
    lastFirst(taken, Lease::close);
  }

  /** Does it to each, the last one first. */
  static void lastFirst(List<Lease> leases, Consumer<Lease> action) {
    List<Lease> reversed = new ArrayList<>(leases);
    Collections.reverse(reversed);
    onAll(reversed, action);
  }

  /** A failure does not keep the others from their turn; the first one is thrown. */
  private static void onAll(List<Lease> leases, Consumer<Lease> action) {
    @Nullable Throwable first = null;
    for (Lease lease : leases) {
      try {
        action.accept(lease);
      } catch (RuntimeException | Error e) { // an Error, too: nobody would release the others
        if (first == null) {
          first = e;
        } else if (first != e) {
          first.addSuppressed(e);
        }
      }
    }
    if (first instanceof Error error) {
      throw error;
    }
    if (first instanceof RuntimeException failure) {
      throw failure;
    }
  }

  @Override
  public String toString() {
    return "LeaseSet" + asked;
  }
}
