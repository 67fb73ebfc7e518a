package dev.interlock.redis.hash;

import dev.interlock.BackendUnavailableException;
import dev.interlock.redis.support.KeyLayout;
import dev.interlock.redis.support.ServerInfo;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;

/** The first words with a server: who it is, what time it has, and whether it will do. */
final class OpeningCheck {
  private static final Logger LOG = System.getLogger(OpeningCheck.class.getName());

  private OpeningCheck() {}

  /** Answers product and version; throws if this server or this user cannot serve locks. */
  static String check(
      Link connection,
      ScriptRunner runner,
      KeyLayout layout,
      String clientId,
      Connections connections,
      Duration timeout) {
    String address = connections.address();
    ServerInfo info = info(connection, address);
    if (info.role().equals("slave") && !connections.isCluster()) {
      throw new BackendUnavailableException("Redis at " + address
          + " is a replica and takes no locks: give the address of the master");
    }
    info.evictionRisk()
        .ifPresent(risk -> LOG.log(Level.WARNING, "Redis at " + address + ": " + risk));
    runner.run("run scripts", "", new ScriptCall(Scripts.INSPECT).on(layout.keys("")));
    byte[] channel = layout.mailbox(clientId);
    try {
      connection.awaitNode(channel, timeout);
      connection.sync().publish(channel, new byte[0]);
    } catch (RedisException e) {
      throw Faults.of("publish to the mailbox of this client", address, e);
    }
    return info.product();
  }

  private static ServerInfo info(Link connection, String address) {
    try {
      String text = connection.sync().info();
      return ServerInfo.parse(text);
    } catch (RedisCommandExecutionException e) {
      LOG.log(Level.DEBUG, "INFO is denied", e);
      return ServerInfo.UNKNOWN; // a user without this right can have locks all the same
    } catch (RedisException e) {
      throw Faults.of("tell its version", address, e);
    }
  }
}
