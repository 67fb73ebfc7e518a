package dev.interlock.redis.hash.internal.backend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.contract.Undisturbed;
import dev.interlock.redis.support.contract.BackendContract;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.AttemptResult.Queued;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.RenewalResult;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Waiters that were not heard for long, and whose clients seem to listen. */
@Timeout(120)
class UnheardWaitersTest extends TwoClients {
  /** How long one may be silent that seems to listen (state.lua). */
  private static final Duration GONE = Duration.ofSeconds(5);

  /** Longer than the clients are silent, and shorter than what always counts. */
  private static final Duration BRIEF = Duration.ofSeconds(3);

  private HoldId writer;
  private HoldId reader;

  private static AttemptResult read(TestClient client, HoldId id) {
    return client.backend.attempt(readerOf(id, TestClient.PATIENT));
  }

  private static Attempt readerOf(HoldId id, Duration patience) {
    return TestClient.fair("n", id, TestClient.LEASE, patience).withUnits(1, Integer.MAX_VALUE);
  }

  /** A writer of another client, and a reader behind it, while somebody reads. */
  private void waitBehindAReader() {
    assertThat(read(one, one.id())).isInstanceOf(Grant.class);
    writer = two.id();
    assertThat(two.queue("n", writer)).isInstanceOf(Queued.class);
    reader = one.id();
    assertThat(read(one, reader)).isInstanceOf(Queued.class);
  }

  @Test
  void W2_aWriterThatWasNotHeardIsPassedOverAndBackInItsPlaceOnceItIs() {
    waitBehindAReader();
    letBeUnheard(GONE, Duration.ZERO);

    assertThat(one.refresh("n", reader)).isInstanceOf(Grant.class);
    assertThat(two.refresh("n", writer)).isInstanceOf(RenewalResult.Queued.class);
    assertThat(read(one, one.id())).as("behind the writer").isInstanceOf(Queued.class);
  }

  @Test
  void W2_aWriterThatWasNotHeardKeepsNobodyOutWhoDoesNotWait() {
    waitBehindAReader();
    one.backend.abandon("n", reader);
    letBeUnheard(GONE, Duration.ZERO);

    assertThat(one.backend.attempt(readerOf(one.id(), Duration.ZERO))).isInstanceOf(Grant.class);
  }

  @Test
  void W2_whoIsKeptOutLooksWhenTheWriterMayBePassed() {
    waitBehindAReader();
    letBeUnheard(GONE.minusSeconds(1), Duration.ZERO);

    RenewalResult look = one.refresh("n", reader);

    if (look instanceof RenewalResult.Queued queued) { // or the machine stood still
      assertThat(queued.recheck()).isLessThanOrEqualTo(Duration.ofMillis(1_002));
    }
  }

  @Test
  void W2_whoWasNotHeardIsNotGrantedTheLockInVain() {
    HoldId holder = one.id();
    one.queue("n", holder);
    two.queue("n", two.id());
    HoldId next = one.id();
    one.queue("n", next);
    letBeUnheard(GONE, Duration.ZERO);

    assertThat(one.release("n", holder).granted()).extracting(Grant::id).isEqualTo(next);
    assertThat(two.grants).isEmpty();
  }

  @Test
  void R2_F5_whoCouldNotBeHeardWhileTheServerStoodStillKeepsItsPlace() {
    waitBehindAReader();
    letBeUnheard(GONE, GONE);

    assertThat(one.refresh("n", reader)).isInstanceOf(RenewalResult.Queued.class);
    assertThat(one.refresh("n", reader)).as("again").isInstanceOf(RenewalResult.Queued.class);
    assertThat(two.refresh("n", writer)).isInstanceOf(RenewalResult.Queued.class);
    assertThat(one.refresh("n", reader)).isInstanceOf(RenewalResult.Queued.class);
  }

  @Test
  void R2_F5_whoCouldNotBeHeardForAMomentKeepsItsPlaceAndGetsTimeToSpeak() {
    waitBehindAReader();
    letBeUnheard(GONE, BRIEF, Duration.ofMinutes(1));

    RenewalResult look = one.refresh("n", reader);

    assertThat(look).isInstanceOf(RenewalResult.Queued.class);
    assertThat(((RenewalResult.Queued) look).recheck()).isLessThanOrEqualTo(BRIEF);
  }

  /** As where nobody else waits, and one is always a little late. */
  @Undisturbed(millis = 300)
  void W2_aWriterThatWasNotHeardIsPassedOverHoweverLateEachOfTheOthersIs() {
    waitBehindAReader();
    letBeUnheard(GONE, BRIEF);

    assertThat(one.refresh("n", reader)).isInstanceOf(Grant.class);
  }

  @Test
  void F1_F5_aReleaseAfterAnOutageGoesToTheFirst() throws InterruptedException {
    HoldId holder = one.id();
    one.queue("n", holder);
    HoldId first = two.id();
    two.queue("n", first);
    one.queue("n", one.id());
    letBeUnheard(GONE, GONE);

    assertThat(one.release("n", holder).granted()).isNull();
    assertThat(two.grant().grant().id()).isEqualTo(first);
  }

  /** The clock was set back a moment before the step that is asked for now. */
  @Test
  void R2_whoWasHeardBeforeTheClockWasSetBackGetsTimeToSpeak() {
    waitBehindAReader();
    letBeUnheard(Duration.ofHours(-1), Duration.ofHours(-1));

    assertThat(one.refresh("n", reader)).isInstanceOf(RenewalResult.Queued.class);
    assertThat(one.refresh("n", reader)).as("again").isInstanceOf(RenewalResult.Queued.class);
  }

  /** The same, where the server last stood still so recently that only a long gap counts. */
  private void letBeUnheard(Duration heard, Duration stepped) {
    letBeUnheard(heard, stepped, GONE.plusSeconds(1));
  }

  /**
   * As if the first in front had been heard so long before its last refresh, and the last step had
   * run so long ago, and the server had last seemed to stand still so long ago.
   */
  private void letBeUnheard(Duration heard, Duration stepped, Duration resumed) {
    server.command(
        "EVAL",
        """
        local front = redis.call('HGET', KEYS[1], 'q')
        local ends = string.format('%016.0f', tonumber(string.sub(front, 34, 49)) - ARGV[1])
        redis.call('HSET', KEYS[1], 'q', string.sub(front, 1, 33) .. ends .. string.sub(front, 50))
        local lock = {cmsgpack.unpack(redis.call('HGET', KEYS[1], '*'))}
        local clock = redis.call('TIME')
        lock[16] = clock[1] * 1000000 + clock[2] - ARGV[2]
        lock[17] = clock[1] * 1000000 + clock[2] - ARGV[3]
        redis.call('HSET', KEYS[1], '*', cmsgpack.pack(unpack(lock)))
        """,
        "1",
        BackendContract.key("n"),
        Long.toString(heard.toNanos() / 1_000),
        Long.toString(stepped.toNanos() / 1_000),
        Long.toString(resumed.toNanos() / 1_000));
  }
}
