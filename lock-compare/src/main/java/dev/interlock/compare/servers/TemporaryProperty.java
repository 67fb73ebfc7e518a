package dev.interlock.compare.servers;

import org.jspecify.annotations.Nullable;

/** A system property that is as it was before after {@link #close()}. */
final class TemporaryProperty implements AutoCloseable {
  private final String name;
  private final @Nullable String before;

  private TemporaryProperty(String name, @Nullable String before) {
    this.name = name;
    this.before = before;
  }

  static TemporaryProperty set(String name, String value) {
    return new TemporaryProperty(name, System.setProperty(name, value));
  }

  @Override
  public void close() {
    if (before == null) {
      System.clearProperty(name);
    } else {
      System.setProperty(name, before);
    }
  }
}
