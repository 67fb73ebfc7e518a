package dev.interlock.testservers.internal.database;

import dev.interlock.testservers.DatabaseServer;
import dev.interlock.testservers.internal.control.ControlledServer;
import dev.interlock.testservers.internal.control.ServerControl;
import java.time.Duration;
import java.util.Optional;

/** What all servers have in common, wherever they come from. */
abstract class DatabaseAtEndpoint extends ControlledServer implements DatabaseServer {
  private static final Duration START_LIMIT = Duration.ofSeconds(60);
  private static final Duration STOP_GRACE = Duration.ofSeconds(20);

  private final DatabaseEndpoint endpoint;
  private final String origin;
  private volatile String version = "unknown";

  DatabaseAtEndpoint(DatabaseEndpoint endpoint, String origin, ServerControl control) {
    super(control, START_LIMIT, STOP_GRACE);
    this.endpoint = endpoint;
    this.origin = origin;
  }

  final DatabaseEndpoint endpoint() {
    return endpoint;
  }

  @Override
  protected boolean answers() {
    Optional<String> reported = endpoint.ask("SELECT VERSION()");
    reported.ifPresent(this::reportsItself);
    return reported.isPresent();
  }

  final void reportsItself(String reported) {
    version = DatabaseKind.productAndVersion(reported);
  }

  @Override
  public final String host() {
    return endpoint.host();
  }

  @Override
  public final int port() {
    return endpoint.port();
  }

  @Override
  public final String user() {
    return endpoint.user();
  }

  @Override
  public final String password() {
    return endpoint.password();
  }

  @Override
  public final String database() {
    return endpoint.database();
  }

  @Override
  public final String uri() {
    return endpoint.uri();
  }

  @Override
  public final String jdbcUrl() {
    return endpoint.jdbcUrl();
  }

  @Override
  public final String version() {
    return version;
  }

  @Override
  public final String source() {
    return origin + ", " + version;
  }

  @Override
  public final String execute(String sql) {
    return endpoint.execute(sql);
  }

  /** Source, version and address, without the password. */
  @Override
  public final String toString() {
    return source() + " at " + host() + ":" + port();
  }
}
