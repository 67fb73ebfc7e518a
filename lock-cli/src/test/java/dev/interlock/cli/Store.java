package dev.interlock.cli;

import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestRedis;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Where the locks of a test are: one of each provider. A server is started when first used. */
enum Store {
  LOCAL("local"),
  REDIS_SETNX("redis-setnx");

  private static @Nullable RedisServer redis;

  private final String id;

  Store(String id) {
    this.id = id;
  }

  /** A namespace that nobody else uses, beside those of other tests in the same database. */
  String namespace() {
    return "ops-" + UUID.randomUUID();
  }

  String uri(String namespace) {
    return switch (this) {
      case LOCAL -> id + "://?namespace=" + namespace;
      case REDIS_SETNX -> redis().uri(id) + "?namespace=" + namespace;
    };
  }

  /** Puts into the database what is no lock, but looks like one. */
  void addForeignData(String namespace) {
    switch (this) {
      case LOCAL -> {}
      case REDIS_SETNX -> {
        redis().command("SET", "foreign", "1");
        redis().command("SET", "{" + namespace + ":0}:lock:", "1");
        redis().command("SET", "{" + namespace + ":1000}:lock:in no bucket", "1");
        redis().command("SET", "{" + namespace + ":x}:lock:in no bucket", "1");
        redis().command("SET", "{" + namespace + ":0}:wait:}:lock:in no bucket", "1");
      }
    }
  }

  static synchronized void stop() {
    if (redis != null) {
      redis.close();
      redis = null;
    }
  }

  private static synchronized RedisServer redis() {
    if (redis == null) {
      redis = TestRedis.start();
    }
    return redis;
  }
}
