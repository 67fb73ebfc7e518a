package dev.interlock.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.interlock.redis.support.KeyLayout;
import dev.interlock.testservers.DatabaseServer;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestMysql;
import dev.interlock.testservers.TestPostgres;
import dev.interlock.testservers.TestRedis;
import java.net.URLEncoder;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/** Where the locks of a test are: one of each provider. A server is started when first used. */
enum Store {
  LOCAL("local"),
  REDIS_SETNX("redis-setnx"),
  REDIS_WATCH("redis-watch"),
  REDIS_HASH("redis-hash"),
  MYSQL("mysql"),
  POSTGRES("postgres"),
  QUORUM("quorum");

  /** A far end of a lease. */
  private static final long NEVER = Long.MAX_VALUE / 2;

  private static final Map<Store, DatabaseServer> DATABASES = new EnumMap<>(Store.class);
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
    String uri = switch (this) {
      case LOCAL -> id + "://?";
      case REDIS_SETNX, REDIS_WATCH, REDIS_HASH -> redis().uri(id) + "?";
      case MYSQL, POSTGRES ->
        database().uri().replaceFirst("^[^:]*:", id + ":") + "?schema=create&";
      case QUORUM ->
        IntStream.rangeClosed(1, 3)
            .mapToObj(database -> redis().uri("redis-setnx") + "/" + database)
            .map(member -> "member=" + URLEncoder.encode(member, UTF_8) + "&")
            .collect(Collectors.joining("", id + "://?longestLease=PT10M&", ""));
    };
    return uri + "namespace=" + namespace;
  }

  /** Puts into the database what is no lock, but looks like one. */
  void addForeignData(String namespace) {
    switch (this) {
      case LOCAL, QUORUM -> {}
      case REDIS_SETNX, REDIS_WATCH, REDIS_HASH -> {
        redis().command("SET", "foreign", "1");
        redis().command("SET", "{" + namespace + ":0}:lock:", "1");
        redis().command("SET", "{" + namespace + ":1000}:lock:in no bucket", "1");
        redis().command("SET", "{" + namespace + ":x}:lock:in no bucket", "1");
        redis().command("SET", "{" + namespace + ":0}:wait:}:lock:in no bucket", "1");
      }
      case MYSQL -> {
        String values = "(bucket, lock_key, until_us) VALUES (%d, x'%s', %d)";
        String key = namespace + ":in a wrong bucket";
        CRC32 sum = new CRC32();
        sum.update(key.getBytes(UTF_8));
        insert(values.formatted((sum.getValue() + 1) % 64, hex(key), NEVER));
        insert(values.formatted(0, hex(namespace + ":") + "ff", NEVER));
        insert(values.formatted(0, hex(namespace + ":"), NEVER));
      }
      case POSTGRES -> {
        String values = "(bucket, lock_key, until_us) VALUES (0, '\\x%s', %d)";
        insert(values.formatted(hex(namespace + ":") + "ff", NEVER));
        insert(values.formatted(hex(namespace + ":"), NEVER));
      }
    }
  }

  /**
   * Puts something of another type where the holder and the waiters of locks would be; on Redis.
   */
  void occupy(String namespace, String holder, String waiters) {
    KeyLayout layout = new KeyLayout(namespace);
    redis().command("RPUSH", new String(layout.keys(holder).lock(), UTF_8), "1");
    redis().command("RPUSH", new String(layout.keys(waiters).due(), UTF_8), "1");
  }

  static synchronized void stop() {
    if (redis != null) {
      redis.close();
      redis = null;
    }
    DATABASES.values().forEach(DatabaseServer::close);
    DATABASES.clear();
  }

  private void insert(String columnsAndValues) {
    database().execute("INSERT INTO interlock_lock " + columnsAndValues);
  }

  private static String hex(String text) {
    return HexFormat.of().formatHex(text.getBytes(UTF_8));
  }

  private synchronized DatabaseServer database() {
    synchronized (DATABASES) {
      return DATABASES.computeIfAbsent(
          this,
          // No commit waits for the disk: no server is killed here.
          kind -> kind == MYSQL
              ? TestMysql.builder()
                  .option("innodb-flush-log-at-trx-commit", "0")
                  .start()
              : TestPostgres.builder().option("fsync", "off").start());
    }
  }

  private static synchronized RedisServer redis() {
    if (redis == null) {
      redis = TestRedis.start();
    }
    return redis;
  }
}
