package dev.interlock.testservers;

/** What all servers have in common, wherever they come from. */
abstract class DatabaseAtEndpoint implements DatabaseServer {
  private final DatabaseEndpoint endpoint;
  private final String origin;
  private volatile String version = "unknown";

  DatabaseAtEndpoint(DatabaseEndpoint endpoint, String origin) {
    this.endpoint = endpoint;
    this.origin = origin;
  }

  final DatabaseEndpoint endpoint() {
    return endpoint;
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
