package dev.interlock.sql.support;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Finds what a driver said under what others made of it. */
public final class SqlCauses {
  private SqlCauses() {}

  /**
   * Finds the first exception of the driver or the pool under what MyBatis or a pool made of it.
   *
   * @param error what was thrown
   * @return null if none of them is at the bottom of it
   */
  public static @Nullable SQLException first(Throwable error) {
    Throwable cause = error;
    while (cause != null) {
      if (cause instanceof SQLException sql) {
        return sql;
      }
      cause = cause.getCause();
    }
    return null;
  }

  /**
   * Finds what the first was made of, as far as that is of a driver or a pool.
   *
   * @param error what was thrown
   * @return null if none of them is at the bottom of it
   */
  public static @Nullable SQLException root(Throwable error) {
    SQLException root = first(error);
    while (root != null && root.getCause() instanceof SQLException cause) {
      root = cause;
    }
    return root;
  }
}
