package dev.interlock.redis.setnx;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.interlock.BackendUnavailableException;
import dev.interlock.LockConfigurationException;
import dev.interlock.redis.setnx.Connections.Use;
import dev.interlock.redis.support.KeyLayout;
import dev.interlock.redis.support.LockKeys;
import dev.interlock.redis.support.ServerClock;
import dev.interlock.redis.support.ServerInfo;
import dev.interlock.spi.ClientId;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisDataException;

/** The first words with a server: who it is, what time it has, and whether it will do. */
final class OpeningCheck {
  private static final Logger LOG = System.getLogger(OpeningCheck.class.getName());

  private final ScriptRunner runner;
  private final KeyLayout layout;
  private final ServerClock clock;

  OpeningCheck(ScriptRunner runner, KeyLayout layout, ServerClock clock) {
    this.runner = runner;
    this.layout = layout;
    this.clock = clock;
  }

  /** Answers product and version; throws if this server or this user cannot serve locks. */
  String check(ClientId client, String address) {
    ServerInfo info = runner.on(Use.HOLDER, "tell about itself (INFO)", "", OpeningCheck::info);
    if (info.role().equals("slave")) {
      throw new BackendUnavailableException("Redis at " + address
          + " is a replica and takes no locks: give the address of the master");
    }
    info.evictionRisk()
        .ifPresent(risk -> LOG.log(Level.WARNING, "Redis at " + address + ": " + risk));
    mayRunScripts();
    runner.on(
        Use.HOLDER,
        "publish to the mailbox of this client",
        "",
        connection -> connection.executeCommand(new CommandArguments(Command.PUBLISH)
            .add(layout.mailbox(client.id()))
            .add(new byte[0])));
    return info.product();
  }

  /** Runs a script that changes nothing, to learn the server's time and the user's rights. */
  private void mayRunScripts() {
    LockKeys keys = layout.keys("");
    long sentAt = System.nanoTime();
    ScriptCall call = ScriptCall.of(Scripts.INSPECT, 0, keys.lock(), keys.due());
    Object answer = runner.run(Use.HOLDER, "run scripts", "", call);
    if (answer instanceof List<?> list && list.get(0) instanceof Long now) {
      clock.learn(sentAt, now);
    }
  }

  private static ServerInfo info(Connection connection) {
    if (connection.getSoTimeout() == 0) {
      throw new LockConfigurationException(
          "The pool's connections wait for an answer without limit: give the pool a socket timeout");
    }
    try {
      Object text = connection.executeCommand(Command.INFO);
      return ServerInfo.parse(new String((byte[]) text, UTF_8));
    } catch (JedisDataException e) {
      LOG.log(Level.DEBUG, "INFO is denied", e);
      return ServerInfo.UNKNOWN; // a user without this right can have locks all the same
    }
  }
}
