package dev.interlock.mysql;

import dev.interlock.HostPort;
import dev.interlock.Option;
import java.time.Duration;
import java.util.List;

/** The options of {@code mysql://user:password@host[:port][,host...]/database?...}. */
public final class MysqlOptions {

  /** What happens to the tables when a client is opened. */
  public enum SchemaMode {
    /** Tables that are missing are created, and older ones brought up to date. */
    CREATE,
    /** Opening fails with the DDL in the message if tables are missing or not ours. */
    CHECK,
    /** Nothing is looked at. */
    NONE
  }

  /** How the connection is protected, named as in the MySQL client. */
  public enum TlsMode {
    /** No TLS. */
    DISABLED,
    /** TLS if the server has it. */
    PREFERRED,
    /** TLS with whatever certificate the server has. */
    REQUIRED,
    /** TLS with a certificate of a trusted authority. */
    VERIFY_CA,
    /** TLS with a certificate of a trusted authority that names the host. */
    VERIFY_IDENTITY
  }

  /** The server, or several of which the first that takes writes serves; port 3306 unless given. */
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
      .matching("[^/\\\\.`?&=\\x00-\\x1f]{1,64}", "1 to 64 characters without / \\ . ` ? & =")
      .describedAs("the database that has the tables");

  /** What happens to the tables when a client is opened. */
  public static final Option<SchemaMode> SCHEMA = Option.choice(
          "schema", SchemaMode.class, SchemaMode.CHECK)
      .describedAs("create missing tables, check that they are there, or none");

  /** How the names of the tables begin. */
  public static final Option<String> TABLE_PREFIX = Option.text("tablePrefix", "interlock_")
      .matching("[A-Za-z0-9_]{1,32}", "1 to 32 letters, digits, underscores")
      .describedAs("how the names of the tables begin");

  /** How the connection is protected. */
  public static final Option<TlsMode> TLS = Option.choice("tls", TlsMode.class, TlsMode.PREFERRED)
      .describedAs("disabled, preferred, required, verify-ca or verify-identity");

  /** Whom to trust: a PKCS12 or JKS file; the JDK's own trust store without it. */
  public static final Option<String> TRUST_STORE = Option.text("trustStore", null)
      .describedAs("file with the trusted certificates, PKCS12 or JKS by its ending");

  /** The password of the trust store. */
  public static final Option<String> TRUST_STORE_PASSWORD =
      Option.text("trustStorePassword", null).secret().describedAs("the trust store's password");

  /** How long a connection may take to open. */
  public static final Option<Duration> CONNECT_TIMEOUT = Option.duration(
          "connectTimeout", Duration.ofSeconds(3))
      .atLeast(Duration.ofMillis(250))
      .atMost(Duration.ofMinutes(1))
      .describedAs("how long a connection may take to open");

  /** How long an answer may take. */
  public static final Option<Duration> TIMEOUT = Option.duration("timeout", Duration.ofSeconds(5))
      .atLeast(Duration.ofSeconds(1))
      .atMost(Duration.ofMinutes(1))
      .describedAs("how long an answer of the server may take");

  /**
   * How many connections attempts share. Releases and renewals have as many of their own, at least
   * two, and a client with waiters one more to listen on. What is idle for a minute is closed, but
   * for two of them.
   */
  public static final Option<Integer> POOL_SIZE = Option.integer("poolSize", 8)
      .atLeast(1)
      .atMost(256)
      .describedAs("connections for attempts; at most as many again for releases and renewals");

  /** All of them. */
  static final List<Option<?>> ALL = List.of(
      HOSTS,
      USER,
      PASSWORD,
      DATABASE,
      SCHEMA,
      TABLE_PREFIX,
      TLS,
      TRUST_STORE,
      TRUST_STORE_PASSWORD,
      CONNECT_TIMEOUT,
      TIMEOUT,
      POOL_SIZE);

  private MysqlOptions() {}
}
