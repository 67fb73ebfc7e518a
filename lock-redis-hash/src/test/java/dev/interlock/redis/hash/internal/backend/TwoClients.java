package dev.interlock.redis.hash.internal.backend;

import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/** A server for the tests of a class, empty before each, and two clients of it that listen. */
abstract class TwoClients {
  static RedisServer server;

  TestClient one;
  TestClient two;

  @BeforeAll
  static void startServer() {
    server = TestRedis.start();
  }

  @AfterAll
  static void stopServer() {
    server.close();
  }

  @BeforeEach
  void openClients() throws InterruptedException {
    server.command("FLUSHALL");
    one = TestClient.open(server);
    two = TestClient.open(server);
  }

  @AfterEach
  void closeClients() {
    one.close();
    two.close();
  }
}
