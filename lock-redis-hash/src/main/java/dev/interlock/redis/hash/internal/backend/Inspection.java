package dev.interlock.redis.hash.internal.backend;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.interlock.HoldInfo;
import dev.interlock.redis.hash.internal.connection.Connections;
import dev.interlock.redis.hash.internal.connection.Faults;
import dev.interlock.redis.hash.internal.connection.SharedConnection;
import dev.interlock.redis.hash.internal.script.Answer;
import dev.interlock.redis.hash.internal.script.ScriptRunner;
import dev.interlock.redis.hash.internal.script.Scripts;
import dev.interlock.redis.support.KeyLayout;
import dev.interlock.redis.support.LockKeys;
import dev.interlock.redis.support.LockScan;
import dev.interlock.redis.support.ScriptCall;
import dev.interlock.spi.HoldPage;
import dev.interlock.spi.HoldQuery;
import dev.interlock.spi.WaiterInfo;
import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.RedisException;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;

/** Tells who holds locks and who waits for them. Changes nothing. Thread-safe. */
final class Inspection implements LockScan.Scanned {
  private static final String ACTION = "list locks";

  private final SharedConnection connection;
  private final ScriptRunner runner;
  private final Connections connections;
  private final Duration timeout;
  private final LockScan scan;

  Inspection(
      SharedConnection connection,
      ScriptRunner runner,
      KeyLayout layout,
      Connections connections,
      Duration timeout) {
    this.connection = connection;
    this.runner = runner;
    this.connections = connections;
    this.timeout = timeout;
    this.scan = new LockScan(layout, this, this::inspect);
  }

  Optional<HoldInfo> inspect(LockKeys keys) {
    return holder(keys.name(), send(keys).await());
  }

  List<WaiterInfo> waiters(LockKeys keys, int limit) {
    ScriptCall call =
        new ScriptCall(Scripts.WAITERS).on(keys, keys.lock()).with(limit).patient();
    return waiters(runner.run("list the waiters of", keys.name(), call));
  }

  HoldPage list(HoldQuery query) {
    return scan.list(query);
  }

  @Override
  public SortedSet<String> servers() {
    return connection.masters();
  }

  @Override
  public LockScan.Step scan(String server, byte[] cursor, byte[] pattern, int count) {
    StatefulRedisConnection<byte[], byte[]> master = connection.master(server, timeout);
    if (master == null) {
      connections.lookAgain();
      throw Faults.disconnected(ACTION, connections.address());
    }
    try {
      KeyScanCursor<byte[]> answer = master
          .sync()
          .scan(
              ScanCursor.of(new String(cursor, ISO_8859_1)),
              ScanArgs.Builder.matches(pattern).limit(count));
      return new LockScan.Step(answer.getCursor().getBytes(ISO_8859_1), answer.getKeys());
    } catch (RedisException e) {
      connections.lookAgain();
      throw Faults.of(ACTION, connections.address(), e);
    }
  }

  /** All are under way at once. */
  private List<HoldInfo> inspect(List<LockKeys> locks) {
    List<ScriptRunner.Sent> sent = locks.stream().map(this::send).toList();
    List<HoldInfo> holds = new ArrayList<>();
    for (int i = 0; i < sent.size(); i++) {
      holder(locks.get(i).name(), sent.get(i).await()).ifPresent(holds::add);
    }
    return holds;
  }

  ScriptRunner.Sent send(LockKeys keys) {
    ScriptCall call = new ScriptCall(Scripts.INSPECT).on(keys, keys.lock()).patient();
    return runner.send("inspect", keys.name(), call);
  }

  /** Reads the answer of inspect.lua. */
  static Optional<HoldInfo> holder(String name, Answer answer) {
    if (answer.isOver()) {
      return Optional.empty();
    }
    int waiters = answer.smallNumber();
    List<HoldInfo> holds = new ArrayList<>();
    while (!answer.isOver()) {
      holds.add(hold(name, answer, waiters));
    }
    return Optional.of(holds.get(0).withOthers(holds.subList(1, holds.size())));
  }

  /** Reads the answer of waiters.lua. */
  private static List<WaiterInfo> waiters(Answer answer) {
    List<WaiterInfo> waiters = new ArrayList<>();
    while (!answer.isOver()) {
      int units = answer.smallNumber();
      int capacity = answer.smallNumber();
      int ownerLength = answer.smallNumber();
      int hostLength = answer.smallNumber();
      String owner = answer.text(ownerLength);
      String host = answer.text(hostLength);
      waiters.add(WaiterInfo.of(owner, host).withUnits(units, capacity));
    }
    return waiters;
  }

  private static HoldInfo hold(String name, Answer answer, int waiters) {
    Duration left = Duration.ofMillis(answer.number());
    long token = answer.number();
    Instant since = Instant.EPOCH.plus(answer.number(), ChronoUnit.MICROS);
    int units = answer.smallNumber();
    int capacity = answer.smallNumber();
    int ownerLength = answer.smallNumber();
    int hostLength = answer.smallNumber();
    String owner = answer.text(ownerLength);
    String host = answer.text(hostLength);
    return HoldInfo.of(name, owner, host, since, left, token, waiters).withUnits(units, capacity);
  }
}
