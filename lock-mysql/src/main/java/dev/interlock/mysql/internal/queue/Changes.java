package dev.interlock.mysql.internal.queue;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What a transaction has to write, and whom to wake once it is committed. */
public final class Changes {
  /** Two hundred kilobytes at most: a server takes no statement that is longer than its packets. */
  private static final int IN_A_LIST = 10_000;

  private boolean row;
  private final List<Entry> inserts = new ArrayList<>();
  private final List<Entry> refreshes = new ArrayList<>();
  private final TreeSet<Long> deletedShares = new TreeSet<>();
  private final TreeSet<Long> deletedWaiters = new TreeSet<>();
  private @Nullable Entry summoned;
  private final Set<Long> sleepers = new LinkedHashSet<>();
  private final Set<Long> wakes = new LinkedHashSet<>();

  void rowChanged() {
    row = true;
  }

  void insert(Entry entry) {
    inserts.add(entry);
  }

  void refresh(Entry entry) {
    if (!inserts.contains(entry) && !refreshes.contains(entry)) {
      refreshes.add(entry);
    }
  }

  void delete(Entry entry) {
    refreshes.remove(entry);
    if (!inserts.remove(entry)) {
      delete(entry.kind, entry.ticket);
    }
  }

  void delete(int kind, long ticket) {
    (kind == Entry.SHARE ? deletedShares : deletedWaiters).add(ticket);
  }

  /** By a statement of its own: a waiter refreshes its entry without the row lock. */
  void summon(Entry waiter) {
    summoned = waiter;
  }

  void putToSleep(long client) {
    sleepers.add(client);
  }

  void wake(long client) {
    wakes.add(client);
  }

  public boolean isEmpty() {
    return !row
        && inserts.isEmpty()
        && refreshes.isEmpty()
        && deletedShares.isEmpty()
        && deletedWaiters.isEmpty()
        && summoned == null
        && sleepers.isEmpty();
  }

  /** The ticket of the waiter that goes, if that and the row are all there is to write. */
  public @Nullable Long onlyDeletion() {
    boolean only = deletedWaiters.size() == 1
        && inserts.isEmpty()
        && refreshes.isEmpty()
        && deletedShares.isEmpty()
        && summoned == null
        && sleepers.isEmpty();
    return only ? deletedWaiters.first() : null;
  }

  @Nullable
  Entry summoned() {
    return summoned;
  }

  List<Entry> inserts() {
    return inserts;
  }

  List<Entry> refreshes() {
    return refreshes;
  }

  Set<Long> deletedWaiters() {
    return deletedWaiters;
  }

  /** Those of the further holds that go, as lists for statements. */
  List<String> getShareTickets() {
    return lists(deletedShares);
  }

  /** Those of the waiters that go, as lists for statements. */
  List<String> getWaiterTickets() {
    return lists(deletedWaiters);
  }

  private static List<String> lists(Set<Long> tickets) {
    List<Long> all = List.copyOf(tickets);
    List<String> lists = new ArrayList<>();
    for (int from = 0; from < all.size(); from += IN_A_LIST) {
      lists.add(all.subList(from, Math.min(from + IN_A_LIST, all.size())).stream()
          .map(String::valueOf)
          .collect(Collectors.joining(",")));
    }
    return lists;
  }

  Set<Long> sleepers() {
    return sleepers;
  }

  public Set<Long> wakes() {
    return wakes;
  }
}
