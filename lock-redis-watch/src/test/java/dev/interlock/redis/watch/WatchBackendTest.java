package dev.interlock.redis.watch;

import static dev.interlock.redis.support.contract.TestClient.LEASE;
import static dev.interlock.redis.support.contract.TestClient.PATIENT;
import static dev.interlock.redis.support.contract.TestClient.attempt;
import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.redis.support.KeyLayout;
import dev.interlock.redis.support.contract.BackendContract;
import dev.interlock.redis.support.contract.TestClient;
import dev.interlock.spi.AttemptResult.Busy;
import dev.interlock.spi.Grant;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** What the transactions do beyond the contract. */
class WatchBackendTest extends BackendContract {
  @Override
  protected String provider() {
    return RedisWatchProvider.ID;
  }

  @Override
  protected String counterKey(String name) {
    byte[] key = CommandWords.counter(new KeyLayout(TestClient.NAMESPACE).keys(name));
    return new String(key, StandardCharsets.UTF_8);
  }

  @Override
  protected void setLastToken(String name, long token) {
    server.command("ZADD", counterKey(name), Long.toString(token), "last");
  }

  @Test
  void aLockOfOursThatLostItsExpiryIsRepairedAndNotOverwritten() {
    long token = client.acquire("n", a);
    server.command("PERSIST", key("n"));
    assertThat(client.tryOnce("n", b)).isInstanceOf(Busy.class);
    assertThat(ttl("n")).isBetween(80_000_000L, 86_400_001L);
    assertThat(client.tryOnce("n", a)).isEqualTo(Grant.of("n", a, token, LEASE));
    server.command("PERSIST", key("n"));
    assertThat(client.tryPatiently("n", b)).isInstanceOf(Busy.class);
    assertThat(ttl("n")).isBetween(80_000_000L, 86_400_001L);
    assertThat(client.release("n", a)).isTrue();
  }

  @Test
  void aRenewalRepairsAMissingExpiryWithItsLease() {
    client.acquire("n", a);
    server.command("PERSIST", key("n"));
    assertThat(renew("n", a, LEASE)).isInstanceOf(Grant.class);
    assertThat(ttl("n")).isBetween(20_000L, 30_001L);
  }

  @Test
  void aForeignKeyWithoutAnExpiryStaysAsItIs() {
    server.command("SET", key("n"), "something else");
    client.tryOnce("n", a);
    client.tryPatiently("n", a);
    renew("n", a, LEASE);
    client.release("n", a);
    client.backend.abandon("n", a);
    assertThat(server.command("GET", key("n"))).isEqualTo("something else");
    assertThat(ttl("n")).isEqualTo(-1);
  }

  @Test
  void anUncontendedSectionIsTwoTransactionsAndNoScript() {
    client.acquire("n", a);
    client.release("n", a);
    server.command("CONFIG", "RESETSTAT");
    client.backend.attempt(attempt("n", b, LEASE, PATIENT, 1));
    client.release("n", b);
    assertThat(server.command("INFO", "commandstats"))
        .contains("cmdstat_exec:calls=2,", "cmdstat_watch:calls=2,")
        .doesNotContain("eval", "function", "fcall", "publish", "cmdstat_zrem");
  }

  @Test
  void nothingIsPublishedWhileNobodyWaits() {
    server.command("CONFIG", "RESETSTAT");
    client.acquire("n", a);
    client.release("n", a);
    client.backend.abandon("n", b);
    assertThat(server.command("INFO", "commandstats")).doesNotContain("cmdstat_publish");
  }

  @Test
  void M3_tenThousandNamesLeaveOneCounterForEachBucket() {
    for (int i = 0; i < 10_000; i++) {
      client.acquire("many-" + i, a);
      client.release("many-" + i, a);
    }
    assertThat(Long.parseLong(server.command("DBSIZE"))).isEqualTo(KeyLayout.BUCKETS);
  }
}
