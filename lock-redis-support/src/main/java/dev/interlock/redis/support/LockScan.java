package dev.interlock.redis.support;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.interlock.BackendUnavailableException;
import dev.interlock.HoldInfo;
import dev.interlock.spi.HoldPage;
import dev.interlock.spi.HoldQuery;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Lists held locks with {@code SCAN}, which goes through all keys of a server, those of other
 * software too; one server after the other. Thread-safe.
 *
 * <p>Its steps change nothing on the server and leave nothing there, so they may run twice or late,
 * and a client may stop at any of them.
 */
public final class LockScan {
  /** A position is an address and a cursor, and an address has no blank. */
  private static final char SEPARATOR = ' ';

  private static final String FIRST = "0";

  /** The servers that have locks. Blocks for I/O, for a bounded time. */
  public interface Scanned {
    /**
     * Names the servers.
     *
     * @return the address of each, as it is known now; none if a cluster has no masters
     */
    SortedSet<String> servers();

    /**
     * Goes one step through the keys of a server.
     *
     * @param server one of {@link #servers()}
     * @param cursor as {@code SCAN} takes it
     * @param pattern what keys must match
     * @param count how many keys the server looks at, more or less
     * @return the keys that match, and the next cursor
     */
    Step scan(String server, byte[] cursor, byte[] pattern, int count);
  }

  /**
   * The answer to {@code SCAN}.
   *
   * @param cursor for the next step; "0" after the last
   * @param keys of this step
   */
  @SuppressWarnings("ArrayRecordComponent") // bytes from the wire, never compared
  public record Step(byte[] cursor, List<byte[]> keys) {}

  private final KeyLayout layout;
  private final Scanned scanned;
  private final Function<List<LockKeys>, List<HoldInfo>> inspection;

  /**
   * Makes one.
   *
   * @param layout where locks are kept
   * @param scanned the servers
   * @param inspection tells of many locks who holds them; leaves out those that are free by now
   */
  public LockScan(
      KeyLayout layout, Scanned scanned, Function<List<LockKeys>, List<HoldInfo>> inspection) {
    this.layout = layout;
    this.scanned = scanned;
    this.inspection = inspection;
  }

  /**
   * Takes one step of {@code SCAN}, and asks for the holders of the locks that it found.
   *
   * <p>A position on a server that has no locks any more, after a failover for example, leads back
   * to the beginning: its cursor means nothing on another server.
   *
   * @param query which part of the list
   * @return the page
   * @throws IllegalArgumentException if no page ended at this position
   * @throws BackendUnavailableException if no server has any locks
   */
  public HoldPage list(HoldQuery query) {
    Position from = query.after().map(Position::parse).orElse(null);
    SortedSet<String> servers = scanned.servers();
    if (servers.isEmpty()) {
      throw new BackendUnavailableException("No node of the cluster has any locks now");
    }
    if (from == null || !servers.contains(from.server)) {
      from = new Position(servers.first(), FIRST);
    }
    Step step = scanned.scan(
        from.server,
        from.cursor.getBytes(ISO_8859_1),
        layout.lockPattern(query.prefix()),
        query.limit());
    List<LockKeys> locks = step.keys().stream()
        .map(layout::lockAt)
        .flatMap(Optional::stream)
        .filter(keys -> keys.name().startsWith(query.prefix()))
        .toList();
    HoldPage page = HoldPage.of(locks.isEmpty() ? List.of() : inspection.apply(locks));
    Position next = after(from, new String(step.cursor(), ISO_8859_1), servers);
    return next == null ? page : page.withNext(next.toString());
  }

  private static @Nullable Position after(Position from, String cursor, SortedSet<String> servers) {
    if (!cursor.equals(FIRST)) {
      return new Position(from.server, cursor);
    }
    return servers.tailSet(from.server).stream()
        .skip(1)
        .findFirst()
        .map(server -> new Position(server, FIRST))
        .orElse(null);
  }

  private record Position(String server, String cursor) {
    static Position parse(String text) {
      int end = text.lastIndexOf(SEPARATOR);
      if (end < 0 || !text.substring(end + 1).matches("\\d+")) {
        throw new IllegalArgumentException("no page of held locks ended at '" + text + "'");
      }
      return new Position(text.substring(0, end), text.substring(end + 1));
    }

    @Override
    public String toString() {
      return server + SEPARATOR + cursor;
    }
  }
}
