package dev.interlock.sql.support;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** What was added last: for hints, of which it does not matter if the oldest are gone. */
public final class Recent {
  private static final int MOST = 1024;

  private Recent() {}

  /**
   * Makes a set.
   *
   * @param <T> of what
   * @return a bounded set; thread-safe
   */
  public static <T> Set<T> set() {
    return Collections.synchronizedSet(Collections.newSetFromMap(new Bounded<T, Boolean>()));
  }

  /**
   * Makes a map.
   *
   * @param <K> of what
   * @param <V> to what
   * @return a bounded map; thread-safe
   */
  public static <K, V> Map<K, V> map() {
    return Collections.synchronizedMap(new Bounded<K, V>());
  }

  private static final class Bounded<K, V> extends LinkedHashMap<K, V> {
    private static final long serialVersionUID = 1L;

    @Override
    protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
      return size() > MOST;
    }
  }
}
