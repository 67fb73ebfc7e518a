package dev.interlock.measure.server;

/** The servers that can be measured on. */
public enum ServerKind {
  /** Redis or Valkey. */
  REDIS("redis", 6379, "0", "\\d{1,4}"),

  /** MySQL or MariaDB. */
  MYSQL("mysql", 3306, "", "[A-Za-z0-9_$-]{1,64}"),

  /** PostgreSQL. */
  POSTGRES("postgres", 5432, "", "[A-Za-z0-9_$-]{1,63}");

  private final String scheme;
  private final int port;
  private final String defaultDatabase;
  private final String databasePattern;

  ServerKind(String scheme, int port, String defaultDatabase, String databasePattern) {
    this.scheme = scheme;
    this.port = port;
    this.defaultDatabase = defaultDatabase;
    this.databasePattern = databasePattern;
  }

  /**
   * Connects to a server.
   *
   * @throws ServerUnavailableException if it does not answer, or refuses
   */
  public ServerProbe probe(ServerAddress server) {
    return switch (this) {
      case REDIS -> RedisProbe.open(server);
      case MYSQL -> MysqlProbe.open(server);
      case POSTGRES -> PostgresProbe.open(server);
    };
  }

  /** With what its URIs begin. */
  public String scheme() {
    return scheme;
  }

  /** What its driver calls it. */
  String jdbcName() {
    return this == POSTGRES ? "postgresql" : scheme;
  }

  /** The port of an address that names none. */
  public int port() {
    return port;
  }

  /** The database of an address that names none; empty where one must be named. */
  String defaultDatabase() {
    return defaultDatabase;
  }

  boolean isDatabase(String name) {
    return name.matches(databasePattern);
  }

  /** How its address is written, for messages. */
  String form() {
    String database = defaultDatabase.isEmpty() ? "/database" : "[/database]";
    return scheme + "://[user:password@]host[:port]" + database;
  }

  /** Its name on the command line. */
  @Override
  public String toString() {
    return scheme;
  }
}
