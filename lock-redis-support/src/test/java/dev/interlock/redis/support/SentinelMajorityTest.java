package dev.interlock.redis.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.BackendUnavailableException;
import dev.interlock.HostPort;
import dev.interlock.LockConfig;
import dev.interlock.contract.Undisturbed;
import dev.interlock.redis.support.contract.Topologies;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is made of the sentinels' answers. */
@Timeout(60)
class SentinelMajorityTest {
  private static final HostPort OLD = HostPort.of("old", 1);
  private static final HostPort NEXT = HostPort.of("next", 2);
  private static final List<HostPort> SENTINELS =
      List.of(HostPort.of("s1", 1), HostPort.of("s2", 2), HostPort.of("s3", 3));

  /** With a second that is added, how long answers are waited for. */
  private static final Duration HALF_OF_LIMIT = Duration.ofMillis(100);

  private static final Duration LIMIT = HALF_OF_LIMIT.multipliedBy(2).plusSeconds(1);

  private final Answers answers = new Answers();
  private final List<HostPort> told = new CopyOnWriteArrayList<>();
  private final SentinelMajority majority = new SentinelMajority(
      LockConfig.builder("any")
          .set(RedisOptions.HOSTS, SENTINELS)
          .set(RedisOptions.TOPOLOGY, Topology.SENTINEL)
          .set(RedisOptions.MASTER, "main")
          .set(RedisOptions.CONNECT_TIMEOUT, HALF_OF_LIMIT)
          .set(RedisOptions.TIMEOUT, HALF_OF_LIMIT)
          .build(),
      answers,
      told::add);

  /** Each sentinel names the old master, unless a test wants something else. */
  private static final class Answers implements SentinelMajority.Questions {
    final Map<HostPort, CompletionStage<Optional<HostPort>>> named = new ConcurrentHashMap<>();
    final Set<HostPort> masters = ConcurrentHashMap.newKeySet();
    final AtomicInteger asked = new AtomicInteger();
    volatile Runnable whenAsked = () -> {};

    @Override
    public CompletionStage<Optional<HostPort>> master(HostPort sentinel) {
      asked.incrementAndGet();
      whenAsked.run();
      return named.getOrDefault(sentinel, CompletableFuture.completedStage(Optional.of(OLD)));
    }

    @Override
    public CompletionStage<Boolean> isMaster(HostPort server) {
      return CompletableFuture.completedStage(masters.contains(server));
    }

    void name(int sentinel, HostPort master) {
      named.put(SENTINELS.get(sentinel), CompletableFuture.completedStage(Optional.of(master)));
    }

    void fail(int sentinel) {
      named.put(
          SENTINELS.get(sentinel),
          CompletableFuture.failedStage(new IllegalStateException("Connection disconnected")));
    }
  }

  @AfterEach
  void close() {
    majority.close();
  }

  @Undisturbed(millis = 300)
  void E3_whatTakesLongToAskIsNotTakenFromTheTimeToAnswer() {
    CompletionStage<Optional<HostPort>> soon = new CompletableFuture<Optional<HostPort>>()
        .completeOnTimeout(Optional.of(NEXT), LIMIT.toMillis() + 300, TimeUnit.MILLISECONDS);
    SENTINELS.forEach(sentinel -> answers.named.put(sentinel, soon));
    answers.whenAsked = () -> {
      answers.whenAsked = () -> {};
      LockSupport.parkNanos(LIMIT.toNanos()); // as the first use of a driver, which is loaded
    };
    majority.find();
    assertThat(majority.master()).isEqualTo(NEXT);
  }

  @Test
  void E3_sentinelsThatAreSilentAreNotTakenForWrongSettings() {
    SENTINELS.forEach(sentinel -> answers.named.put(sentinel, new CompletableFuture<>()));
    assertThatThrownBy(majority::find)
        .isInstanceOf(BackendUnavailableException.class)
        .hasMessageContaining("None of the sentinels at s1:1,s2:2,s3:3")
        .hasMessageContaining("within " + LIMIT.toMillis() + " ms")
        .hasMessageContaining("'main'")
        .hasMessageNotContaining("sentinelPassword");
  }

  @Test
  void E4_sentinelsThatTellNothingAreAskedOnceMore() {
    for (int i = 0; i < SENTINELS.size(); i++) {
      answers.fail(i);
    }
    answers.whenAsked = () -> {
      if (answers.asked.get() > SENTINELS.size()) {
        answers.named.clear();
      }
    };
    majority.find();
    assertThat(majority.master()).isEqualTo(OLD);
  }

  @Test
  void E3_sentinelsThatFailTwiceAreAskedNoMore() {
    for (int i = 0; i < SENTINELS.size(); i++) {
      answers.fail(i);
    }
    assertThatThrownBy(majority::find)
        .hasMessageContaining("None of the sentinels at")
        .hasRootCauseMessage("Connection disconnected");
    assertThat(answers.asked).hasValue(2 * SENTINELS.size());
  }

  @Test
  void X1_sentinelsThatDisagreeKeepNobodyAtAReplica() {
    majority.find();
    answers.masters.add(NEXT);
    answers.name(1, NEXT);
    answers.fail(2);
    Topologies.await(() -> {
      majority.doubt();
      return majority.master().equals(NEXT);
    });
  }

  @Test
  void X1_sentinelsThatDisagreeDeposeNoMasterThatServes() {
    majority.find();
    answers.masters.add(OLD);
    answers.masters.add(NEXT);
    answers.name(0, NEXT);
    answers.fail(2);
    awaitLooks(2);
    assertThat(told).containsOnly(OLD);
  }

  @Test
  void X1_sentinelsThatDisagreeLeadToNoReplica() {
    majority.find();
    answers.name(0, NEXT);
    answers.fail(2);
    awaitLooks(2);
    assertThat(told).containsOnly(OLD);
  }

  @Test
  void X1_ofServersThatSentinelsDisagreeAboutTheMasterIsTakenAtOpen() {
    answers.masters.add(NEXT);
    answers.name(1, NEXT);
    answers.fail(2);
    majority.find();
    assertThat(majority.master()).isEqualTo(NEXT);
  }

  /** The last of them has only begun. */
  private void awaitLooks(int looks) {
    int before = answers.asked.get();
    Topologies.await(() -> {
      majority.doubt();
      return answers.asked.get() >= before + (looks + 1) * SENTINELS.size();
    });
  }
}
