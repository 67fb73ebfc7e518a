package dev.interlock.quorum;

import dev.interlock.tck.LockTck;
import dev.interlock.tck.TckBackend;
import dev.interlock.tck.TckServer;
import dev.interlock.testservers.RedisFaults;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * The rules of SPEC.md over three Redis servers; what is done to the server is done to all three.
 */
@EnabledIfSystemProperty(named = "interlock.test.quorum", matches = "true")
class QuorumTckTest extends LockTck {
  private static ThreeRedis redis;

  @BeforeAll
  static void startServers() {
    redis = new ThreeRedis();
  }

  @AfterAll
  static void stopServers() {
    redis.close();
  }

  @Override
  protected TckBackend backend() {
    List<TckServer> members = IntStream.range(0, 3)
        .<TckServer>mapToObj(place -> RedisFaults.of(redis.server(place)))
        .toList();
    return TckBackend.at(redis.uri("redis-setnx", "&longestLease=P365D"))
        .countWith(() -> Long.parseLong(redis.server(0).command("DBSIZE")))
        .faults(new AllFaults(members))
        .timeScale(2.0);
  }
}
