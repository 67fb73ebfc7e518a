package dev.interlock.redis.hash.internal.backend;

import dev.interlock.redis.support.contract.Topologies;
import dev.interlock.spi.HoldId;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestRedis;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/** A server for the tests of a class, empty before each, a client of it, and three ids. */
abstract class OneClient {
  static RedisServer server;

  TestClient client;
  HoldId a;
  HoldId b;
  HoldId c;

  @BeforeAll
  static void startServer() {
    server = TestRedis.start();
  }

  @AfterAll
  static void stopServer() {
    server.close();
  }

  @BeforeEach
  void openClient() throws InterruptedException {
    server.command("FLUSHALL");
    client = TestClient.open(server);
    a = client.id();
    b = client.id();
    c = client.id();
  }

  @AfterEach
  void closeClient() {
    client.close();
  }

  /** All keys but the counters, which stay. */
  static List<String> keys() {
    return server
        .command("KEYS", "*")
        .lines()
        .filter(key -> !key.isEmpty() && !key.endsWith(":token"))
        .toList();
  }

  void awaitExpiry(String name) {
    Topologies.await(() -> client.backend.inspect(name).isEmpty());
  }
}
