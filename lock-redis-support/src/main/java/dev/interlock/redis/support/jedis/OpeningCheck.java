package dev.interlock.redis.support.jedis;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.interlock.LockConfig;
import dev.interlock.LockConfigurationException;
import dev.interlock.redis.support.KeyLayout;
import dev.interlock.redis.support.LockKeys;
import dev.interlock.redis.support.ServerInfo;
import dev.interlock.redis.support.jedis.Connections.Use;
import dev.interlock.spi.ClientId;
import java.util.function.Consumer;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisDataException;

/** The first words with a server: who it is, and whether it and this user will do. */
public final class OpeningCheck {
  private OpeningCheck() {}

  /**
   * Asks every server what it is, and tries on the one that has the keys of the empty name what
   * every provider needs.
   *
   * @param servers that have locks
   * @param layout names keys and channels
   * @param client who the client is
   * @param config the settings
   * @param probe tries, on the keys of the empty name, what this provider needs; changes nothing on
   *     the server, learns the server's time, and throws if it is not allowed
   * @return product and version
   * @throws dev.interlock.LockException if this server or this user cannot serve locks
   */
  public static String check(
      Servers servers,
      KeyLayout layout,
      ClientId client,
      LockConfig config,
      Consumer<LockKeys> probe) {
    requireDriver();
    LockKeys keys = layout.keys("");
    String product = "";
    for (Server server : servers.all()) {
      JedisCalls calls = server.calls();
      ServerInfo info = calls.on(Use.HOLDER, "tell about itself (INFO)", keys, OpeningCheck::info);
      info.requireFit(calls.address(), config.get(JedisOptions.REPLICAS), false);
      product = info.product();
    }
    probe.accept(keys);
    CommandArguments publish =
        new CommandArguments(Command.PUBLISH).add(layout.mailbox(client.id())).add(new byte[0]);
    servers
        .of(keys)
        .server()
        .calls()
        .on(
            Use.HOLDER,
            "publish to the mailbox of this client",
            keys,
            connection -> connection.executeCommand(publish));
    return product;
  }

  /** With an older driver everything would work until a connection is to be cut. */
  private static void requireDriver() {
    try {
      Connection.class.getMethod("forceDisconnect");
    } catch (NoSuchMethodException e) {
      throw new LockConfigurationException(
          "The version of Jedis on the class path is too old: 7.0.0 or newer is needed", e);
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
      return ServerInfo.denied(e);
    }
  }
}
