package dev.interlock.cli;

import com.github.freva.asciitable.AsciiTable;
import com.github.freva.asciitable.Column;
import com.github.freva.asciitable.ColumnData;
import com.github.freva.asciitable.HorizontalAlign;
import dev.interlock.HoldInfo;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Held locks as a table for people. */
final class HoldTable {
  static final String NONE = "-";
  private static final List<ColumnData<HoldInfo>> COLUMNS = List.of(
      left("NAME", hold -> Printable.of(hold.name())),
      left("SINCE", hold -> since(hold.since())),
      right("LEFT", hold -> time(hold.remaining())),
      right("WAITERS", hold -> Integer.toString(hold.waiters())),
      right("TOKEN", hold -> token(hold.fencingToken())),
      left("SHARE", hold -> share(hold.units(), hold.capacity())),
      left("OWNER", hold -> Printable.of(hold.owner())),
      left("HOST", hold -> Printable.of(hold.host())));

  private HoldTable() {}

  /** A line for each holder: those who hold a lock together stand below each other. */
  static String of(List<HoldInfo> holds) {
    return table(holds.stream().flatMap(HoldTable::holders).toList(), COLUMNS);
  }

  /** A line for each row, below that of the headers. */
  static <T> String table(List<T> rows, List<ColumnData<T>> columns) {
    String table =
        AsciiTable.builder().border(AsciiTable.NO_BORDERS).data(rows, columns).asString();
    // Each line begins with the blank that parts columns.
    return table
        .lines()
        .map(line -> line.substring(1).stripTrailing())
        .collect(Collectors.joining(System.lineSeparator()));
  }

  /** Who holds one lock: more than one if it is shared. */
  static Stream<HoldInfo> holders(HoldInfo hold) {
    return Stream.concat(Stream.of(hold), hold.others().stream());
  }

  /** The server's clock, in UTC. */
  static String since(Instant since) {
    return since.equals(Instant.EPOCH)
        ? NONE
        : since.truncatedTo(ChronoUnit.SECONDS).toString();
  }

  static String token(long token) {
    return token == 0 ? NONE : Long.toString(token);
  }

  /** What one has, or wants, of a lock that others may hold beside it. */
  static String share(int units, int capacity) {
    return switch (capacity) {
      case 1 -> NONE;
      case Integer.MAX_VALUE -> "reads";
      default -> units + " of " + capacity;
    };
  }

  /** In the unit that a reader would choose. */
  static String time(Duration time) {
    if (time.toMinutes() < 1) {
      return String.format(Locale.ROOT, "%.1f s", time.toMillis() / 1_000.0);
    }
    if (time.toHours() < 1) {
      return time.toMinutes() + " min " + time.toSecondsPart() + " s";
    }
    return time.toDays() < 1
        ? time.toHours() + " h " + time.toMinutesPart() + " min"
        : time.toDays() + " d " + time.toHoursPart() + " h";
  }

  static <T> ColumnData<T> left(String header, Function<T, String> cell) {
    return column(header, HorizontalAlign.LEFT).with(cell);
  }

  static <T> ColumnData<T> right(String header, Function<T, String> cell) {
    return column(header, HorizontalAlign.RIGHT).with(cell);
  }

  private static Column column(String header, HorizontalAlign align) {
    return new Column()
        .header(header)
        .headerAlign(align)
        .dataAlign(align)
        .maxWidth(Integer.MAX_VALUE);
  }
}
