package dev.interlock.mysql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.contract.CountedHoldsContract;
import dev.interlock.contract.TestClient;
import dev.interlock.mysql.internal.backend.MysqlBackend;
import dev.interlock.mysql.internal.grants.Entries;
import dev.interlock.mysql.internal.queue.LocalClient;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.Renewal;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Readers, writers and permits as the server grants them, without the engine. */
class CountedHoldsTest extends CountedHoldsContract {
  @Override
  protected String uri() {
    return Server.uri();
  }

  @Override
  protected TestClient client(String uri) {
    return Server.client(uri);
  }

  @Override
  protected boolean isListening(TestClient client) {
    return listens(client);
  }

  static boolean listens(TestClient client) {
    return ((LocalClient) client.backend).listens();
  }

  @Override
  protected void runsOut(HoldId id) {
    Server.shared().execute("UPDATE interlock_entry SET until_us = 1 WHERE kind = 0 AND " + is(id));
    Server.shared()
        .execute("UPDATE interlock_lock SET until_us = 1 WHERE until_us > 0 AND " + is(id));
  }

  @Override
  protected int asleep(HoldId... ids) {
    return passedOver(ids);
  }

  static int passedOver(HoldId... ids) {
    return Stream.of(ids)
        .mapToInt(id -> Integer.parseInt(Server.shared()
            .execute("SELECT COUNT(*) FROM interlock_entry WHERE kind = 1 AND asleep = 1 AND "
                + is(id))))
        .sum();
  }

  @Override
  protected long kept(TestClient client) {
    return Long.parseLong(Server.shared()
        .execute(
            "SELECT COUNT(*) FROM interlock_entry WHERE client = " + client.id().high()));
  }

  static String is(HoldId id) {
    return "client = " + id.high() + " AND hold = " + id.low();
  }

  @Test
  void r5_aRenewalProlongsNoOtherHoldAndARowTellsWhenTheFirstOfThemEnds() {
    HoldId first = held(one, 1, ALL);
    HoldId second = held(two, 1, ALL);
    String before = untilOf(first);
    assertThat(renew(two, Renewal.of("a", second, Duration.ofMinutes(5), false)))
        .isInstanceOf(Grant.class);
    assertThat(untilOf(first)).isEqualTo(before);
    assertThat(untilOf(second)).isGreaterThan(before);
    assertThat(untilOfLock(first)).isEqualTo(before);
    assertThat(one.release("a", first).held()).isTrue();
    assertThat(untilOfLock(second)).isEqualTo(untilOf(second));
    assertThat(two.release("a", second).held()).isTrue();
    assertThat(two.release("a", second).held()).isFalse();
    assertThat(one.backend.inspect("a")).isEmpty();
  }

  /** One that was forgotten would be renewed as if it had the lock alone, and not be found. */
  @Test
  void m3_aHoldIsKeptInMindForAsLongAsTheServerKeepsIt() throws ReflectiveOperationException {
    HoldId id = held(one, 1, ALL);
    long minute = TimeUnit.MINUTES.toNanos(1);
    assertThat(keptInMind(id)).isBetween(TestClient.LEASE.toNanos(), minute + minute / 2);
    renew(one, Renewal.of("a", id, Duration.ofMinutes(5), false));
    assertThat(keptInMind(id)).isBetween(5 * minute, 6 * minute);
    one.release("a", id);
  }

  private long keptInMind(HoldId id) throws ReflectiveOperationException {
    Field entries = MysqlBackend.class.getDeclaredField("entries");
    entries.setAccessible(true);
    Field known = Entries.class.getDeclaredField("known");
    known.setAccessible(true);
    Object found = ((Map<?, ?>) known.get(entries.get(one.backend))).get(id);
    Field end = found.getClass().getDeclaredField("end");
    end.setAccessible(true);
    return (long) end.get(found) - System.nanoTime();
  }

  static String untilOf(HoldId id) {
    return Server.shared().execute("SELECT until_us FROM interlock_entry WHERE " + is(id));
  }

  private static String untilOfLock(HoldId id) {
    return Server.shared()
        .execute("SELECT l.until_us FROM interlock_lock l JOIN interlock_entry e"
            + " ON e.bucket = l.bucket AND e.lock_key = l.lock_key WHERE e.client = " + id.high()
            + " AND e.hold = " + id.low());
  }
}
