package dev.interlock.redis.hash.internal.backend;

import dev.interlock.LockConfig;
import dev.interlock.redis.hash.internal.connection.Connections;
import dev.interlock.redis.hash.internal.connection.Faults;
import dev.interlock.redis.hash.internal.connection.SharedConnection;
import dev.interlock.redis.hash.internal.script.ScriptRunner;
import dev.interlock.redis.hash.internal.script.Scripts;
import dev.interlock.redis.support.KeyLayout;
import dev.interlock.redis.support.LockKeys;
import dev.interlock.redis.support.RedisOptions;
import dev.interlock.redis.support.ScriptCall;
import dev.interlock.redis.support.ServerInfo;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

/** The first words with a server: who it is, what time it has, and whether it will do. */
final class OpeningCheck {
  private OpeningCheck() {}

  /** Answers product and version; throws if this server or this user cannot serve locks. */
  static String check(
      SharedConnection connection,
      ScriptRunner runner,
      KeyLayout layout,
      String clientId,
      Connections connections,
      LockConfig config) {
    String address = connections.address();
    Duration patience = config.get(RedisOptions.CONNECT_TIMEOUT);
    List<LockKeys> nobodys =
        IntStream.range(0, KeyLayout.BUCKETS).mapToObj(layout::nobodys).toList();
    ServerInfo info = SharedConnection.untilConnected(patience, () -> {
      LockKeys keys = connection.firstReachable(nobodys, patience);
      StatefulRedisConnection<byte[], byte[]> server = connection.node(keys.lock(), patience);
      if (server == null) {
        connections.lookAgain();
        throw Faults.disconnected("tell its version", address);
      }
      ServerInfo answer = info(server, address);
      runner.run("run scripts", "", new ScriptCall(Scripts.INSPECT).on(keys, keys.lock()));
      tell(server, layout.mailbox(clientId), address);
      return answer;
    });
    info.requireFit(address, config.get(RedisOptions.REPLICAS), connections.isCluster());
    return info.product();
  }

  /** The rights without which a script could not tell anybody of a grant. */
  private static void tell(
      StatefulRedisConnection<byte[], byte[]> server, byte[] channel, String address) {
    try {
      server.sync().pubsubNumsub(channel);
      server.sync().publish(channel, new byte[0]);
    } catch (RedisException e) {
      throw Faults.of("find and publish to the mailbox of this client", address, e);
    }
  }

  private static ServerInfo info(StatefulRedisConnection<byte[], byte[]> server, String address) {
    try {
      String text = server.sync().info();
      return ServerInfo.parse(text);
    } catch (RedisCommandExecutionException e) {
      return ServerInfo.denied(e);
    } catch (RedisException e) {
      throw Faults.of("tell its version", address, e);
    }
  }
}
