package dev.interlock.redis.support.contract;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.BackendUnavailableException;
import dev.interlock.Lease;
import dev.interlock.LockException;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.redis.support.KeyLayout;
import dev.interlock.tck.Effort;
import dev.interlock.tck.RuleInfo;
import dev.interlock.tck.RuleResult;
import dev.interlock.tck.Rules;
import dev.interlock.tck.TckBackend;
import dev.interlock.tck.TckResult;
import dev.interlock.tck.TckRunner;
import dev.interlock.tck.Verdict;
import dev.interlock.testservers.RedisServer;
import java.io.IOException;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** What the tests with several servers share. */
public final class Topologies {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final KeyLayout LAYOUT = new KeyLayout("interlock");

  private Topologies() {}

  /** The key of a lock in the default namespace. */
  public static String key(String name) {
    return new String(LAYOUT.keys(name).lock(), UTF_8);
  }

  /**
   * Checks the rules of SPEC.md of the groups X, L, O and W.
   *
   * @param masterOf finds the server that has a key
   * @param masters all servers that have keys
   */
  static void holdRules(
      String uri, Function<String, RedisServer> masterOf, Supplier<List<RedisServer>> masters) {
    TckBackend backend = TckBackend.at(uri)
        .inspectWith(
            name -> masterOf.apply(key(name)).command("EXISTS", key(name)).equals("1"))
        .countWith(() -> masters.get().stream()
            .mapToLong(master -> Long.parseLong(master.command("DBSIZE")))
            .sum())
        .timeScale(2.0); // a build shares its machine with other work
    Set<String> rules = Rules.all().stream()
        .map(RuleInfo::id)
        .filter(id -> "XLOW".indexOf(id.charAt(0)) >= 0)
        .collect(Collectors.toSet());
    TckResult result = TckRunner.of(backend).effort(Effort.QUICK).only(rules).run();
    assertThat(result.rules())
        .allSatisfy(rule -> assertThat(rule)
            .as("seed " + result.seed())
            .matches(Topologies::isGood, "passed, but for faults that the kit has not here"));
  }

  private static boolean isGood(RuleResult rule) {
    return rule.verdict() == Verdict.PASS
        || (rule.verdict() == Verdict.INCONCLUSIVE
            && rule.toString().contains("for want of the faults"));
  }

  /** A port on which nobody listens. */
  static int freePort() throws IOException {
    try (ServerSocket free = new ServerSocket(0)) {
      return free.getLocalPort();
    }
  }

  /** Waits for a condition; what a lock cannot answer now counts as a no. */
  static void await(BooleanSupplier condition) {
    long deadline = System.nanoTime() + LIMIT.toNanos();
    boolean holds = false;
    while (!holds) {
      assertThat(System.nanoTime() - deadline).as("in time").isNegative();
      try {
        holds = condition.getAsBoolean();
      } catch (LockException notYet) {
        assertThat(notYet).isNotNull();
      }
    }
  }

  /** Waits until a replica has all that its master has written so far. */
  static void awaitWrites(RedisServer master, RedisServer replica) {
    long written = offset(master, "master_repl_offset");
    await(() -> offset(replica, "slave_repl_offset") >= written);
  }

  /** Releases; the client may not have heard of the new master. */
  static void release(Lease lease) {
    try {
      lease.release();
    } catch (BackendUnavailableException | OutcomeUnknownException e) {
      assertThat(e).isNotNull(); // it is repeated in the background
    }
  }

  private static long offset(RedisServer server, String field) {
    return server
        .command("INFO", "replication")
        .lines()
        .filter(line -> line.startsWith(field + ":"))
        .mapToLong(line -> Long.parseLong(line.substring(field.length() + 1)))
        .findFirst()
        .orElse(-1);
  }
}
