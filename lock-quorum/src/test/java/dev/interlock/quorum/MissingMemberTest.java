package dev.interlock.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.DistributedLock;
import dev.interlock.LockClient;
import dev.interlock.Locks;
import dev.interlock.testservers.RedisServer;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class MissingMemberTest {
  private static final int SECTIONS = 50;

  /** For so long after its beginning a quorum raises the tokens of its members. */
  private static final long YOUNG_MILLIS = 5_500;

  private static final Pattern SCRIPTS = Pattern.compile("cmdstat_eval(?:sha)?:calls=(\\d+)");

  @Test
  @DisplayName("where a member is missing, members that tell of their last tokens raise none")
  void raisesNoTokens() throws InterruptedException {
    try (ThreeRedis redis = new ThreeRedis();
        LockClient client = Locks.open(patient(redis))) {
      DistributedLock lock = client.lock("a");
      List<RedisServer> there = List.of(redis.server(0), redis.server(1));
      Thread.sleep(YOUNG_MILLIS);
      long needed = fewest(lock, there, 0, 5);
      redis.server(2).pause();
      try {
        // One is raised now and then, as when the clock stands still.
        long few = needed + SECTIONS / 5;
        assertThat(fewest(lock, there, few, 20)).isLessThanOrEqualTo(few);
      } finally {
        redis.server(2).resume();
      }
    }
  }

  /** A machine that is busy opens a connection late. */
  private static String patient(ThreeRedis redis) {
    return ThreeRedis.quorum(
        IntStream.range(0, 3)
            .mapToObj(i -> redis.server(i).uri("redis-hash") + "?timeout=PT10S")
            .toList(),
        "");
  }

  /** How many scripts the members run for some sections, in the best of some rounds. */
  private static long fewest(
      DistributedLock lock, List<RedisServer> members, long enough, int rounds) {
    long fewest = Long.MAX_VALUE;
    for (int round = 0; round < rounds && fewest > enough; round++) {
      long before = scripts(members);
      for (int i = 0; i < SECTIONS; i++) {
        lock.lock();
        lock.unlock();
      }
      fewest = Math.min(fewest, scripts(members) - before);
    }
    return fewest;
  }

  private static long scripts(List<RedisServer> members) {
    return members.stream()
        .mapToLong(member -> {
          Matcher found = SCRIPTS.matcher(member.command("INFO", "commandstats"));
          long calls = 0;
          while (found.find()) {
            calls += Long.parseLong(found.group(1));
          }
          return calls;
        })
        .sum();
  }
}
