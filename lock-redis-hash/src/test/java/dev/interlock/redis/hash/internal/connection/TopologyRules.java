package dev.interlock.redis.hash.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.redis.support.contract.Topologies;
import dev.interlock.tck.Effort;
import dev.interlock.tck.TckBackend;
import dev.interlock.tck.TckFault;
import dev.interlock.tck.TckResult;
import dev.interlock.tck.TckRunner;
import dev.interlock.tck.TckServer;
import dev.interlock.tck.Verdict;
import dev.interlock.testservers.RedisFaults;
import dev.interlock.testservers.RedisServer;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;

/**
 * The rules of SPEC.md on a set of servers: a few of them in a build, all with
 * {@code -Dinterlock.topology.rules=all}, which takes about a minute for each set.
 */
public final class TopologyRules {
  private static final String RULES = System.getProperty("interlock.topology.rules", "few");
  private static final Set<String> FEW = Set.of("O1", "O2", "F1", "S1", "R2", "C3");

  /** Looks for a hold whose time is not over; the key is there also while somebody only waits. */
  public static final String HOLDS = """
      local header = redis.call('HGET', KEYS[1], '*')
      if header and string.sub(header, 1, 1) == 'h' then
        return 1 -- held once, and the key lives no longer than that
      end
      local time = redis.call('TIME')
      local holds = header and select(2, cmsgpack.unpack(header)) or ''
      for ends in string.gmatch(holds, '%z' .. string.rep('%x', 32) .. string.rep('%d', 16)) do
        if tonumber(string.sub(ends, 34)) > time[1] * 1000000 + time[2] then
          return 1
        end
      end
      return 0
      """;

  private TopologyRules() {}

  /**
   * Checks the rules.
   *
   * @param isLocked asks the server that has a key whether it is a held lock
   * @param keys counts the keys on all servers
   * @param masters the servers that have the locks
   */
  static void hold(
      String uri, UnaryOperator<String> isLocked, LongSupplier keys, List<RedisServer> masters) {
    TckBackend backend = TckBackend.at(uri)
        .inspectWith(name -> isLocked.apply(Topologies.key(name)).equals("1"))
        .countWith(keys)
        .faults(new EveryMaster(masters, masters.stream().map(RedisFaults::of).toList()))
        .timeScale(2.0); // a build shares its machine with other work
    TckRunner runner = TckRunner.of(backend).effort(Effort.QUICK);
    TckResult result = (RULES.equals("all") ? runner : runner.only(FEW)).run();
    // The kit's proxy stands before one server, so rules about lost connections stay inconclusive.
    List<Verdict> accepted = RULES.equals("all")
        ? List.of(Verdict.PASS, Verdict.NOT_CLAIMED, Verdict.INCONCLUSIVE)
        : List.of(Verdict.PASS, Verdict.NOT_CLAIMED);
    assertThat(result.rules())
        .allSatisfy(rule ->
            assertThat(rule.verdict()).as(rule + "\n  seed " + result.seed()).isIn(accepted));
  }

  /** Does to all masters at once what the kit asks for, without a change of their roles. */
  private record EveryMaster(List<RedisServer> masters, List<RedisFaults> each)
      implements TckServer {
    @Override
    public Set<TckFault> faults() {
      return Set.of(TckFault.PAUSE, TckFault.LOSE_STATE, TckFault.CLOSE_CLIENTS, TckFault.DISTURB);
    }

    @Override
    public void heal() {
      resume();
    }

    @Override
    public void pause() {
      masters.forEach(RedisServer::pause);
    }

    @Override
    public void resume() {
      masters.forEach(RedisServer::resume);
    }

    @Override
    public void loseState() {
      each.forEach(RedisFaults::loseState);
    }

    @Override
    public void closeClients() {
      each.forEach(RedisFaults::closeClients);
    }

    @Override
    public boolean disturb() {
      return each.stream().filter(RedisFaults::disturb).count() > 0;
    }
  }
}
