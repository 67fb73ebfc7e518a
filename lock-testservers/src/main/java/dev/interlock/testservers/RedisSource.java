package dev.interlock.testservers;

/** Where a test server comes from, in the order in which the sources are tried. */
public enum RedisSource {
  /**
   * A running server, named by a URI. It is used as it is and can be neither stopped nor paused.
   */
  GIVEN("given URI"),
  /** A container, started through Testcontainers. */
  DOCKER("Docker"),
  /** A server program on the {@code PATH}. */
  PATH("PATH"),
  /** The server program inside {@code com.github.codemonstur:embedded-redis}. */
  EMBEDDED("embedded-redis");

  private final String title;

  RedisSource(String title) {
    this.title = title;
  }

  /** The name for people, as it stands in {@link RedisServer#source()} and in messages. */
  @Override
  public String toString() {
    return title;
  }
}
