package dev.interlock.redis.hash;

import dev.interlock.BackendUnavailableException;
import dev.interlock.LockConfig;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.redis.support.KeyLayout;
import dev.interlock.redis.support.ServerInfo;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/** The first words with a server: who it is, what time it has, and whether it will do. */
final class OpeningCheck {
  private static final Logger LOG = System.getLogger(OpeningCheck.class.getName());

  private static final long PAUSE_NANOS = 10_000_000;

  private OpeningCheck() {}

  /** Answers product and version; throws if this server or this user cannot serve locks. */
  static String check(
      Link connection,
      ScriptRunner runner,
      KeyLayout layout,
      String clientId,
      Connections connections,
      LockConfig config) {
    String address = connections.address();
    ServerInfo info = untilConnected(config.get(RedisHashOptions.CONNECT_TIMEOUT), () -> {
      ServerInfo answer = info(connection, address);
      runner.run("run scripts", "", new ScriptCall(Scripts.INSPECT).reading(layout.keys("")));
      tell(connection, layout.mailbox(clientId), address);
      return answer;
    });
    if (info.role().equals("slave") && !connections.isCluster()) {
      throw new BackendUnavailableException("Redis at " + address
          + " is a replica and takes no locks: give the address of the master");
    }
    info.evictionRisk().ifPresent(risk -> warn(address, risk));
    info.replicaRisk(config.get(RedisHashOptions.REPLICAS)).ifPresent(risk -> warn(address, risk));
    return info.product();
  }

  /**
   * Lettuce connects to a node of a cluster when a command first goes there, and refuses commands
   * meanwhile. It also refuses them for a moment after it has logged in with a password, and any
   * connection may break when it is new. So what no server refused is asked again until the time is
   * over that connecting may take.
   */
  static <T> T untilConnected(Duration patience, Supplier<T> question) {
    long start = System.nanoTime();
    while (true) {
      try {
        return question.get();
      } catch (BackendUnavailableException | OutcomeUnknownException e) {
        boolean refused = e.getCause() instanceof RedisCommandExecutionException;
        boolean over = System.nanoTime() - start >= patience.toNanos();
        if (refused || over || Thread.currentThread().isInterrupted()) {
          throw e;
        }
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
  }

  private static void warn(String address, String risk) {
    LOG.log(Level.WARNING, "Redis at " + address + ": " + risk);
  }

  /** The rights without which a script could not tell anybody of a grant. */
  private static void tell(Link connection, byte[] channel, String address) {
    try {
      connection.sync().pubsubNumsub(channel);
      connection.sync().publish(channel, new byte[0]);
    } catch (RedisException e) {
      throw Faults.of("find and publish to the mailbox of this client", address, e);
    }
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
