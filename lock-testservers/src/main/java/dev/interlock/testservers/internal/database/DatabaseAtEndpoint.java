package dev.interlock.testservers.internal.database;

import dev.interlock.testservers.DatabaseServer;
import dev.interlock.testservers.internal.control.ControlledServer;
import dev.interlock.testservers.internal.control.ServerControl;
import java.time.Duration;
import java.util.Optional;

/** What all databases have in common, wherever they come from. */
abstract class DatabaseAtEndpoint extends ControlledServer<DatabaseEndpoint>
    implements DatabaseServer {
  private static final Duration START_LIMIT = Duration.ofSeconds(60);
  private static final Duration STOP_GRACE = Duration.ofSeconds(20);

  DatabaseAtEndpoint(DatabaseEndpoint endpoint, String origin, ServerControl control) {
    super(endpoint, origin + ",", control, START_LIMIT, STOP_GRACE);
  }

  @Override
  protected boolean answers() {
    Optional<String> reported = endpoint().ask("SELECT VERSION()");
    reported.ifPresent(this::reportsItself);
    return reported.isPresent();
  }

  final void reportsItself(String reported) {
    noteVersion(DatabaseKind.productAndVersion(reported));
  }

  @Override
  public final String user() {
    return endpoint().user();
  }

  @Override
  public final String password() {
    return endpoint().password();
  }

  @Override
  public final String database() {
    return endpoint().database();
  }

  @Override
  public final String jdbcUrl() {
    return endpoint().jdbcUrl();
  }

  @Override
  public final String execute(String sql) {
    return endpoint().execute(sql);
  }
}
