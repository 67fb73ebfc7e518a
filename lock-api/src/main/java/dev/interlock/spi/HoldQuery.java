package dev.interlock.spi;

import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Which held locks a backend is asked to list. Immutable. */
public final class HoldQuery {
  private final int limit;
  private final String prefix;
  private final @Nullable String after;

  private HoldQuery(int limit, String prefix, @Nullable String after) {
    this.limit = limit;
    this.prefix = prefix;
    this.after = after;
  }

  /**
   * Asks for the first page of all held locks.
   *
   * @param limit {@link #limit()}
   * @return the query
   * @throws IllegalArgumentException if the limit is not positive
   */
  public static HoldQuery of(int limit) {
    if (limit < 1) {
      throw new IllegalArgumentException("the limit of a listing must be positive, not " + limit);
    }
    return new HoldQuery(limit, "", null);
  }

  /**
   * Copies it with another {@link #prefix()}.
   *
   * @param beginning what names begin with
   * @return the copy
   */
  public HoldQuery withPrefix(String beginning) {
    return new HoldQuery(limit, Objects.requireNonNull(beginning), after);
  }

  /**
   * Copies it with another {@link #after()}.
   *
   * @param position {@link HoldPage#next()} of the page before
   * @return the copy
   */
  public HoldQuery withAfter(String position) {
    return new HoldQuery(limit, prefix, Objects.requireNonNull(position));
  }

  /**
   * Returns how much the server may look at for one page: rows of a table, or keys of a database in
   * which other keys lie too.
   *
   * @return at least 1
   */
  public int limit() {
    return limit;
  }

  /**
   * Returns what the names of the listed locks begin with.
   *
   * @return empty for all names
   */
  public String prefix() {
    return prefix;
  }

  /**
   * Returns where the page before ended.
   *
   * @return empty for the first page
   */
  public Optional<String> after() {
    return Optional.ofNullable(after);
  }

  @Override
  public String toString() {
    return "HoldQuery[limit=%d, prefix=%s, after=%s]".formatted(limit, prefix, after);
  }
}
