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
    ServerInfo info =
        SharedConnection.untilConnected(config.get(RedisOptions.CONNECT_TIMEOUT), () -> {
          ServerInfo answer = info(connection, address);
          LockKeys keys = layout.keys("");
          runner.run("run scripts", "", new ScriptCall(Scripts.INSPECT).on(keys, keys.lock()));
          tell(connection, layout.mailbox(clientId), address);
          return answer;
        });
    info.requireFit(address, config.get(RedisOptions.REPLICAS), connections.isCluster());
    return info.product();
  }

  /** The rights without which a script could not tell anybody of a grant. */
  private static void tell(SharedConnection connection, byte[] channel, String address) {
    try {
      connection.sync().pubsubNumsub(channel);
      connection.sync().publish(channel, new byte[0]);
    } catch (RedisException e) {
      throw Faults.of("find and publish to the mailbox of this client", address, e);
    }
  }

  private static ServerInfo info(SharedConnection connection, String address) {
    try {
      String text = connection.sync().info();
      return ServerInfo.parse(text);
    } catch (RedisCommandExecutionException e) {
      return ServerInfo.denied(e);
    } catch (RedisException e) {
      throw Faults.of("tell its version", address, e);
    }
  }
}
