package dev.interlock.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.LockConfig;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.BackendContext;
import dev.interlock.spi.BackendEvents;
import dev.interlock.spi.ClientId;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import dev.interlock.spi.RenewalResult;
import dev.interlock.testservers.MysqlServer;
import dev.interlock.testservers.PostgresServer;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestMysql;
import dev.interlock.testservers.TestPostgres;
import dev.interlock.testservers.TestRedis;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a quorum needs of every provider with FENCED: a renewal that raises the token of a hold. */
class MinTokenTest {
  private static final Duration LEASE = Duration.ofSeconds(30);
  private static final long CLIENT = 0x1111_2222_3333_4444L;
  private static final AtomicLong IDS = new AtomicLong();

  private static RedisServer redis;
  private static MysqlServer mysql;
  private static PostgresServer postgres;

  @BeforeAll
  static void start() {
    redis = TestRedis.start();
    mysql = TestMysql.start();
    postgres = TestPostgres.start();
  }

  @AfterAll
  static void stop() {
    redis.close();
    mysql.close();
    postgres.close();
  }

  private static LockBackend open(String provider) {
    String uri = switch (provider) {
      case "local" -> "local://?namespace=raise";
      case "mysql" -> mysql.uri() + "?schema=create";
      case "postgres" -> postgres.uri() + "?schema=create";
      default -> redis.uri(provider);
    };
    LockBackend backend =
        BackendContext.of(new ClientId("1111222233334444", "host:1")).open(LockConfig.parse(uri));
    backend.subscribe(BackendEvents.IGNORED);
    return backend;
  }

  private static Attempt attempt(String name) {
    return Attempt.of(name, new HoldId(CLIENT, IDS.incrementAndGet()), "owner", LEASE);
  }

  private static RenewalResult renew(LockBackend backend, Renewal renewal) {
    return RenewalAnswers.collect(backend, List.of(renewal)).get(0);
  }

  private static long token(Object result) {
    assertThat(result).isInstanceOf(Grant.class);
    return ((Grant) result).fencingToken();
  }

  @ParameterizedTest
  @ValueSource(strings = {"local", "redis-setnx", "redis-watch", "redis-hash", "mysql", "postgres"})
  @DisplayName("a renewal raises the token of a hold, and every later hold has a larger one")
  void raises(String provider) {
    try (LockBackend backend = open(provider)) {
      Attempt first = attempt("raised");
      long granted = token(backend.attempt(first));
      long larger = granted + 1_000_000_000_000L;
      Renewal renewal = Renewal.of("raised", first.id(), LEASE, false);

      assertThat(token(renew(backend, renewal.withMinToken(larger)))).isEqualTo(larger);
      assertThat(token(renew(backend, renewal))).isEqualTo(larger);
      assertThat(token(renew(backend, renewal.withMinToken(granted)))).isEqualTo(larger);
      assertThat(token(backend.attempt(first))).isEqualTo(larger);
      assertThat(backend.inspect("raised").orElseThrow().fencingToken()).isEqualTo(larger);
      assertThat(backend.forceRelease("raised", granted)).isFalse();

      assertThat(backend.release("raised", first.id())).isTrue();
      Attempt second = attempt("raised");
      assertThat(token(backend.attempt(second))).isGreaterThan(larger);
      assertThat(backend.release("raised", second.id())).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"local", "redis-setnx", "redis-watch", "redis-hash", "mysql", "postgres"})
  @DisplayName("a renewal of a hold that is gone raises nothing")
  void sparesOthers(String provider) {
    try (LockBackend backend = open(provider)) {
      Attempt first = attempt("spared");
      long granted = token(backend.attempt(first));
      long larger = granted + 1_000_000_000_000L;
      Renewal other = Renewal.of("spared", attempt("spared").id(), LEASE, false);

      assertThat(renew(backend, other.withMinToken(larger))).isInstanceOf(RenewalResult.Gone.class);
      assertThat(backend.inspect("spared").orElseThrow().fencingToken()).isEqualTo(granted);
      assertThat(backend.forceRelease("spared", granted)).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"local", "redis-setnx", "redis-watch", "redis-hash", "mysql", "postgres"})
  @DisplayName("a renewal that raises a token never shortens the lease")
  void keepsLease(String provider) {
    try (LockBackend backend = open(provider)) {
      Attempt first = attempt("lasting");
      long granted = token(backend.attempt(first));
      Renewal shorter = Renewal.of("lasting", first.id(), Duration.ofSeconds(1), false);
      renew(backend, shorter.withMinToken(granted + 1_000));

      assertThat(backend.inspect("lasting").orElseThrow().remaining())
          .isGreaterThan(Duration.ofSeconds(20));
      assertThat(backend.release("lasting", first.id())).isTrue();
    }
  }
}
