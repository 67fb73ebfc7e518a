package dev.interlock.spi;

import dev.interlock.HoldInfo;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A part of the list of held locks; the answer to a {@link HoldQuery}. Immutable. */
public final class HoldPage {
  private final List<HoldInfo> holds;
  private final @Nullable String next;

  private HoldPage(List<HoldInfo> holds, @Nullable String next) {
    this.holds = holds;
    this.next = next;
  }

  /**
   * Makes the last page.
   *
   * @param holds the held locks in it
   * @return the page
   */
  public static HoldPage of(List<HoldInfo> holds) {
    return new HoldPage(List.copyOf(holds), null);
  }

  /**
   * Copies it as a page with more behind it.
   *
   * @param position from where on the backend finds the rest; printable, and of any form
   * @return the copy
   */
  public HoldPage withNext(String position) {
    return new HoldPage(holds, Objects.requireNonNull(position));
  }

  /**
   * Returns the held locks of this page.
   *
   * @return in any order; possibly none although there are more pages
   */
  public List<HoldInfo> holds() {
    return holds;
  }

  /**
   * Returns where the next page begins.
   *
   * @return for {@link HoldQuery#withAfter}; empty for the last page
   */
  public Optional<String> next() {
    return Optional.ofNullable(next);
  }

  @Override
  public String toString() {
    return "HoldPage[holds=%s, next=%s]".formatted(holds, next);
  }
}
