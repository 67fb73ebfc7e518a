package dev.interlock.cli;

import com.github.freva.asciitable.ColumnData;
import dev.interlock.HoldInfo;
import dev.interlock.spi.WaiterInfo;
import java.util.List;
import java.util.stream.IntStream;

/** Those who stand first in a lock's queue, as a table for people. */
final class WaiterTable {
  private record Row(int place, WaiterInfo waiter) {}

  private static final List<ColumnData<Row>> COLUMNS = List.of(
      HoldTable.right("PLACE", row -> Integer.toString(row.place)),
      HoldTable.left(
          "SINCE", row -> row.waiter.since().map(HoldTable::since).orElse(HoldTable.NONE)),
      HoldTable.left("SHARE", row -> HoldTable.share(row.waiter.units(), row.waiter.capacity())),
      HoldTable.left("OWNER", row -> Printable.of(row.waiter.owner())),
      HoldTable.left("HOST", row -> Printable.of(row.waiter.host())));

  private WaiterTable() {}

  /** What there is to say of the queue, in lines of its own; empty if nobody waits. */
  static String of(HoldInfo hold, LockQueue queue) {
    if (!queue.isKnown()) {
      return hold.waiters() == 0 ? "" : "Who waits cannot be told here, only how many.";
    }
    List<WaiterInfo> first = queue.first();
    if (first.isEmpty()) {
      return "";
    }
    List<Row> rows = IntStream.range(0, first.size())
        .mapToObj(i -> new Row(i + 1, first.get(i)))
        .toList();
    String others = hold.waiters() > rows.size() ? ", the first " + rows.size() : "";
    return "Waiting" + others + System.lineSeparator() + HoldTable.table(rows, COLUMNS);
  }
}
