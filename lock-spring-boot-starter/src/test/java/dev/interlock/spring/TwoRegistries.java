package dev.interlock.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.interlock.LockClient;
import dev.interlock.Locks;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestRedis;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.integration.support.locks.DistributedLock;

/** Two registries, as of two JVMs, on each of two providers. */
@Timeout(60)
@ParameterizedClass
@ValueSource(strings = {"local", "redis-hash"})
abstract class TwoRegistries {
  static final Duration SHORT = Duration.ofMillis(500);
  static final Duration LONG = Duration.ofMinutes(5);

  static RedisServer server;

  @Parameter
  String provider;

  LockClient client;
  LockClient otherClient;
  InterlockLockRegistry registry;
  /** As that of another JVM. */
  InterlockLockRegistry other;

  @BeforeAll
  static void startServer() {
    server = TestRedis.start();
    // The first connection of a JVM loads Netty, which may take longer than it has time.
    await().atMost(Duration.ofSeconds(50)).ignoreExceptions().until(() -> {
      Locks.open(server.uri("redis-hash")).close();
      return true;
    });
  }

  @AfterAll
  static void stopServer() {
    server.close();
  }

  @BeforeEach
  void open() {
    String uri = provider.equals("local") ? "local://" : server.uri(provider);
    uri += "?namespace=" + Contexts.namespace();
    client = Locks.open(uri);
    otherClient = Locks.open(uri);
    registry = new InterlockLockRegistry(client);
    other = new InterlockLockRegistry(otherClient);
  }

  @AfterEach
  void close() {
    client.close();
    otherClient.close();
  }

  boolean isFree(String name) {
    return client.inspect(name).isEmpty();
  }

  static <T> CompletableFuture<T> elsewhere(Callable<T> work) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return work.call();
          } catch (Exception e) {
            throw new IllegalStateException(e);
          }
        },
        Contexts.THREADS);
  }

  static <T> T get(CompletableFuture<T> result) throws Exception {
    return result.get(20, TimeUnit.SECONDS);
  }

  void awaitWaiting(Thread thread) {
    await()
        .until(() -> thread.getState() == Thread.State.TIMED_WAITING
            || thread.getState() == Thread.State.WAITING);
  }

  /** Locks for a short time; it waits because the answer may take longer than that. */
  static void lockShortly(DistributedLock lock) throws InterruptedException {
    assertThat(lock.tryLock(Duration.ofSeconds(20), SHORT)).isTrue();
  }

  /** Locks for a short time, and comes back when that is over. */
  void lockAndExpire(DistributedLock lock, String name) throws InterruptedException {
    lockShortly(lock);
    await().until(() -> isFree(name));
  }
}
