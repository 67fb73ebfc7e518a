package dev.interlock.compare;

import dev.interlock.tck.TckBackend;
import dev.interlock.testservers.MysqlFaults;
import dev.interlock.testservers.MysqlServer;
import dev.interlock.testservers.RedisFaults;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestMysql;
import dev.interlock.testservers.TestRedis;

/**
 * A server for one peer alone.
 *
 * @param target what the kit is to judge
 * @param origin where the server comes from, for the report
 * @param closer ends the server
 */
record PeerServer(TckBackend target, String origin, Runnable closer) implements AutoCloseable {
  /** With what the names of the tables begin. */
  private static final String TABLES = "INT_";

  static PeerServer start(Peer peer) {
    return switch (peer.kind()) {
      case REDIS -> onRedis(peer);
      case MYSQL -> onMysql(peer);
      case NONE -> throw new IllegalArgumentException(peer.id() + " needs no server");
    };
  }

  private static PeerServer onRedis(Peer peer) {
    RedisServer server = TestRedis.start();
    // Every key is its own: nobody else uses this server.
    RedisProbe probe = new RedisProbe(server, "");
    TckBackend target = TckBackend.at(server.uri(peer.id()))
        .openWith(peer.source())
        .server("Redis " + server.version())
        .faults(RedisFaults.of(server))
        .countWith(() -> probe.footprint().entries());
    return new PeerServer(target, server.source(), server::close);
  }

  private static PeerServer onMysql(Peer peer) {
    MysqlServer server = TestMysql.start();
    MysqlProbe probe = new MysqlProbe(server, TABLES);
    TckBackend target = TckBackend.at(server.uri().replaceFirst("^[^:]*:", peer.id() + ":"))
        .openWith(peer.source())
        .server(server.version())
        .faults(MysqlFaults.of(server, TABLES))
        .countWith(() -> probe.footprint().entries());
    return new PeerServer(target, server.source(), server::close);
  }

  @Override
  public void close() {
    closer.run();
  }
}
