package dev.interlock.postgres;

import dev.interlock.HostPort;
import dev.interlock.Option;
import java.time.Duration;
import java.util.List;

/** The options of {@code postgres://user:password@host[:port][,host...]/database?...}. */
public final class PostgresOptions {

  /** What happens to the tables and functions when a client is opened. */
  public enum SchemaMode {
    /** They are created if they are missing, and brought up to date if they are older. */
    CREATE,
    /** Opening fails with the DDL in the message if they are missing or not ours. */
    CHECK,
    /** Nothing is looked at. */
    NONE
  }

  /** How the connection is protected, named as in the driver's {@code sslmode}. */
  public enum TlsMode {
    /** No TLS. */
    DISABLE,
    /** TLS if the server has it. */
    PREFER,
    /** TLS with whatever certificate the server has. */
    REQUIRE,
    /** TLS with a certificate of a trusted authority. */
    VERIFY_CA,
    /** TLS with a certificate of a trusted authority that names the host. */
    VERIFY_FULL
  }

  /** The server, or several of which the first that takes writes serves; port 5432 unless given. */
  public static final Option<List<HostPort>> HOSTS =
      Option.hosts(null).describedAs("the server, and others to fail over to");

  /** The account. */
  public static final Option<String> USER =
      Option.text("user", null).in(Option.Part.USER).describedAs("the account");

  /** The account's password. */
  public static final Option<String> PASSWORD = Option.text("password", "")
      .in(Option.Part.PASSWORD)
      .secret()
      .describedAs("the account's password");

  /** The database that has the tables. */
  public static final Option<String> DATABASE = Option.text("database", null)
      .in(Option.Part.PATH)
      .matching("[^/\\\\?&=\\x00-\\x1f]{1,63}", "1 to 63 characters without / \\ ? & =")
      .describedAs("the database that has the tables");

  /** What happens to the tables and functions when a client is opened. */
  public static final Option<SchemaMode> SCHEMA = Option.choice(
          "schema", SchemaMode.class, SchemaMode.CHECK)
      .describedAs("create what is missing, check that it is there, or none");

  /** How the names of the tables and functions begin. */
  public static final Option<String> TABLE_PREFIX = Option.text("tablePrefix", "interlock_")
      .matching(
          "[a-z_][a-z0-9_]{0,31}",
          "1 to 32 lower-case letters, digits, underscores, and no digit first")
      .describedAs("how the names of the tables and functions begin");

  /** How the connection is protected. */
  public static final Option<TlsMode> TLS = Option.choice("tls", TlsMode.class, TlsMode.PREFER)
      .describedAs("disable, prefer, require, verify-ca or verify-full");

  /** Whom to trust: a PEM file; {@code ~/.postgresql/root.crt} without it. */
  public static final Option<String> ROOT_CERTIFICATE =
      Option.text("rootCertificate", null).describedAs("PEM file with the trusted certificates");

  /** How long a connection may take to open. */
  public static final Option<Duration> CONNECT_TIMEOUT = Option.duration(
          "connectTimeout", Duration.ofSeconds(3))
      .atLeast(Duration.ofSeconds(1))
      .atMost(Duration.ofMinutes(1))
      .describedAs("how long a connection may take to open; the driver rounds up to seconds");

  /** How long an answer may take. */
  public static final Option<Duration> TIMEOUT = Option.duration("timeout", Duration.ofSeconds(5))
      .atLeast(Duration.ofSeconds(1))
      .atMost(Duration.ofMinutes(1))
      .describedAs("how long an answer of the server may take");

  /** How many connections attempts share; releases and renewals have two more, or those idle. */
  public static final Option<Integer> POOL_SIZE = Option.integer("poolSize", 8)
      .atLeast(1)
      .atMost(256)
      .describedAs("connections for attempts; releases and renewals have two more");

  /** All of them. */
  static final List<Option<?>> ALL = List.of(
      HOSTS,
      USER,
      PASSWORD,
      DATABASE,
      SCHEMA,
      TABLE_PREFIX,
      TLS,
      ROOT_CERTIFICATE,
      CONNECT_TIMEOUT,
      TIMEOUT,
      POOL_SIZE);

  private PostgresOptions() {}
}
