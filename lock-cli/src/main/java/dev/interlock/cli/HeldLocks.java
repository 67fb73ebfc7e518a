package dev.interlock.cli;

import dev.interlock.HoldInfo;
import dev.interlock.LockException;
import dev.interlock.spi.HoldPage;
import dev.interlock.spi.HoldQuery;
import dev.interlock.spi.LockBackend;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What is held on a server, page by page put together.
 *
 * @param locks in the order of their names, each once
 * @param more whether there are others
 * @param queue who waits, if one lock was asked for; null if all were
 */
record HeldLocks(
    List<HoldInfo> locks, boolean more, @Nullable LockQueue queue) {
  /** How much the server looks at for one request: some milliseconds of work. */
  static final int PAGE = 1_000;

  /**
   * Lists them.
   *
   * @param backend the server
   * @param prefix what the names begin with
   * @param most how many at the most
   * @param page how much the server may look at for one request
   * @throws LockException if the store cannot list
   */
  static HeldLocks list(LockBackend backend, String prefix, int most, int page) {
    TreeMap<String, HoldInfo> found = new TreeMap<>();
    HoldQuery query = HoldQuery.of(page).withPrefix(prefix);
    Optional<String> next;
    do {
      HoldPage part = backend
          .list(query)
          .orElseThrow(() -> new LockException(
              "This backend cannot list what is held; ask for one lock with 'inspect'"));
      part.holds().forEach(hold -> found.put(hold.name(), hold));
      next = part.next();
      query = next.map(query::withAfter).orElse(query);
    } while (next.isPresent() && found.size() <= most);
    return new HeldLocks(
        found.values().stream().limit(most).toList(),
        next.isPresent() || found.size() > most,
        null);
  }
}
