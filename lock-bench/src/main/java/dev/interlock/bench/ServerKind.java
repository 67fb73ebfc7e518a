package dev.interlock.bench;

import dev.interlock.testservers.MysqlServer;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestMysql;
import dev.interlock.testservers.TestRedis;
import java.util.List;

/** The servers that can be measured on, each with its own floor and peers. */
enum ServerKind {
  /** Redis or Valkey. */
  REDIS("redis", 6379, "0", "\\d{1,4}") {
    @Override
    List<Subject> subjects() {
      return RedisSubjects.all();
    }

    @Override
    MeasuredServer open(ServerAddress server) {
      return MeasuredRedis.open(server);
    }

    @Override
    Running start() {
      RedisServer server = TestRedis.start();
      return new Running(ServerAddress.parse(this, server.uri()), server.source(), server::close);
    }
  },

  /** MySQL or MariaDB. */
  MYSQL("mysql", 3306, "", "[A-Za-z0-9_$-]{1,64}") {
    @Override
    List<Subject> subjects() {
      return MysqlSubjects.all();
    }

    @Override
    MeasuredServer open(ServerAddress server) {
      return MeasuredMysql.open(server);
    }

    @Override
    Running start() {
      MysqlServer server = TestMysql.start();
      return new Running(ServerAddress.parse(this, server.uri()), server.source(), server::close);
    }
  };

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

  /** What can be measured on it. */
  abstract List<Subject> subjects();

  /**
   * Connects to a server.
   *
   * @throws ServerUnavailableException if it does not answer, or refuses
   */
  abstract MeasuredServer open(ServerAddress server);

  /**
   * Starts a server.
   *
   * @throws dev.interlock.testservers.TestServerException if there is none to be had
   */
  abstract Running start();

  String scheme() {
    return scheme;
  }

  int port() {
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

  /**
   * A server that was started for a run.
   *
   * @param address where it is
   * @param source where it comes from
   * @param stop ends it
   */
  record Running(ServerAddress address, String source, Runnable stop) implements AutoCloseable {
    @Override
    public void close() {
      stop.run();
    }
  }
}
