package dev.interlock.redis.setnx;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.BackendUnavailableException;
import dev.interlock.LockException;
import dev.interlock.redis.support.KeyLayout;
import dev.interlock.redis.support.LockKeys;
import dev.interlock.redis.support.ScriptCall;
import dev.interlock.redis.support.jedis.Connections;
import dev.interlock.redis.support.jedis.Connections.Use;
import dev.interlock.redis.support.jedis.Server;
import dev.interlock.redis.support.jedis.Servers;
import dev.interlock.redis.support.jedis.Target;
import dev.interlock.spi.HoldId;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Connection;

class ScriptRunnerTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(2);

  private final KeyLayout layout = new KeyLayout("t");

  /** A server that gives no connection. */
  private static final class Silent implements Connections {
    final AtomicInteger asked = new AtomicInteger();
    final Servers only = Servers.only(this, TIMEOUT);

    @Override
    public Connection borrow(Use use) {
      asked.incrementAndGet();
      throw new BackendUnavailableException("silent");
    }

    @Override
    public void giveBack(Use use, Connection connection, boolean healthy) {}

    @Override
    public boolean mayKeep(Connection connection) {
      return false;
    }

    @Override
    public Connection openListener() {
      throw new BackendUnavailableException("silent");
    }

    @Override
    public String address() {
      return "nowhere";
    }

    @Override
    public void close() {}
  }

  /** Locks whose slots have moved from one server to another. */
  private record Moved(Silent from, Silent to) implements Servers {
    @Override
    public Target of(LockKeys keys) {
      return (from.asked.get() == 0 ? from : to).only.of(keys);
    }

    @Override
    public Target after(LockKeys keys, Target target, LockException failure) {
      Target now = to.only.of(keys);
      if (target.equals(now)) {
        throw failure;
      }
      return now;
    }

    @Override
    public int group(LockKeys keys) {
      return 0;
    }

    @Override
    public Collection<Server> all() {
      return List.of();
    }

    @Override
    public String address() {
      return "nowhere";
    }

    @Override
    public void close() {}
  }

  @Test
  void N8_aSilentServerToWhichManyLocksWereMovedIsAskedOnce() {
    Silent from = new Silent();
    Silent to = new Silent();
    List<ScriptCall> batch = IntStream.range(0, 100)
        .mapToObj(i -> layout.keys("n" + i))
        .map(keys -> new ScriptCall(Scripts.RENEW)
            .on(keys, keys.lock())
            .with(new HoldId(1, 1))
            .with(1_000)
            .with(0))
        .toList();
    Set<Integer> answered = new HashSet<>();
    ScriptRunner runner = new ScriptRunner(new Moved(from, to), TIMEOUT);
    var unused = runner.runAll(Use.HOLDER, "renew", batch, (answer, place) -> {
      assertThat(answer).isInstanceOf(LockException.class);
      answered.add(place);
    });
    assertThat(answered).hasSize(100);
    assertThat(to.asked).hasValue(1);
  }
}
