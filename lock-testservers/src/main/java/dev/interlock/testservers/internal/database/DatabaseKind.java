package dev.interlock.testservers.internal.database;

import java.util.Map;

/**
 * What differs between the servers that are reached through JDBC.
 *
 * @param scheme of the addresses that are given and told
 * @param driver of the addresses for JDBC
 * @param defaultPort where a server listens unless told otherwise
 * @param dataDirectory the expression in SQL for where its data are
 * @param properties with which the driver gives up on a silent server
 */
record DatabaseKind(
    String scheme,
    String driver,
    int defaultPort,
    String dataDirectory,
    Map<String, String> properties) {

  /** MySQL and MariaDB. */
  static final DatabaseKind MYSQL = new DatabaseKind(
      "mysql",
      "mysql",
      3306,
      "@@datadir",
      Map.of(
          "connectTimeout", "5000", "socketTimeout", "10000", "allowPublicKeyRetrieval", "true"));

  /** PostgreSQL; its driver counts in seconds. */
  static final DatabaseKind POSTGRES = new DatabaseKind(
      "postgres",
      "postgresql",
      5432,
      "CURRENT_SETTING('data_directory')",
      Map.of("connectTimeout", "5", "socketTimeout", "10", "loginTimeout", "10"));

  /** Product and version of what {@code SELECT VERSION()} answers. */
  static String productAndVersion(String reported) {
    if (reported.startsWith("PostgreSQL ")) {
      return "PostgreSQL " + reported.split(" ", 3)[1];
    }
    int dash = reported.indexOf('-');
    String number = dash < 0 ? reported : reported.substring(0, dash);
    return (reported.contains("MariaDB") ? "MariaDB " : "MySQL ") + number;
  }
}
