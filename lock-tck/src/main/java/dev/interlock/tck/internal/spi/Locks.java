package dev.interlock.tck.internal.spi;

import dev.interlock.spi.Attempt;
import dev.interlock.spi.Grant;
import dev.interlock.spi.Release;
import dev.interlock.spi.Renewal;
import java.util.Collection;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Which locks something is about that is given to a backend, or comes from it. */
final class Locks {
  private Locks() {}

  /** Returns their names; none if it is about no lock in particular. */
  static Set<String> of(@Nullable Object value) {
    if (value instanceof String name) {
      return Set.of(name);
    }
    if (value instanceof Attempt attempt) {
      return Set.of(attempt.name());
    }
    if (value instanceof Renewal renewal) {
      return Set.of(renewal.name());
    }
    if (value instanceof Release release) {
      return Set.of(release.name());
    }
    if (value instanceof Grant grant) {
      return Set.of(grant.name());
    }
    if (value instanceof Collection<?> batch) {
      return batch.stream().flatMap(each -> of(each).stream()).collect(Collectors.toSet());
    }
    return Set.of();
  }
}
