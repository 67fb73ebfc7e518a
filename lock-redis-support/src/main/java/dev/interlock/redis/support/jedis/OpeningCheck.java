package dev.interlock.redis.support.jedis;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.interlock.BackendUnavailableException;
import dev.interlock.LockConfig;
import dev.interlock.LockConfigurationException;
import dev.interlock.LockException;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.redis.support.KeyLayout;
import dev.interlock.redis.support.LockKeys;
import dev.interlock.redis.support.ServerInfo;
import dev.interlock.redis.support.jedis.Connections.Use;
import dev.interlock.spi.ClientId;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisDataException;

/** The first words with a server: who it is, and whether it and this user will do. */
public final class OpeningCheck {
  private static final Logger LOG = System.getLogger(OpeningCheck.class.getName());

  private OpeningCheck() {}

  /**
   * Asks every server what it is, and tries on one of them what every provider needs. Where there
   * are several, one that does not answer or takes no locks is only warned of: the locks of the
   * others can be had.
   *
   * @param servers that have locks
   * @param layout names keys and channels
   * @param client who the client is
   * @param config the settings
   * @param probe tries, on keys that are no lock's, what this provider needs; changes nothing on
   *     the server, learns the server's time, and throws if it is not allowed
   * @return product and version
   * @throws dev.interlock.LockException if no server can serve locks, or this user cannot
   */
  public static String check(
      Servers servers,
      KeyLayout layout,
      ClientId client,
      LockConfig config,
      Consumer<LockKeys> probe) {
    requireDriver();
    Map<Server, String> products = products(servers, layout.keys(""), config);
    LockKeys keys = nobodysKeys(servers, layout, products.keySet()).get(0);
    probe.accept(keys);
    Server server = servers.of(keys).server();
    CommandArguments publish =
        new CommandArguments(Command.PUBLISH).add(layout.mailbox(client.id())).add(new byte[0]);
    server
        .calls()
        .on(
            Use.HOLDER,
            "publish to the mailbox of this client",
            keys,
            connection -> connection.executeCommand(publish));
    return products.values().iterator().next();
  }

  /** Of those that answer and take locks; none only if no server has any locks. */
  private static Map<Server, String> products(
      Servers servers, LockKeys nobodys, LockConfig config) {
    Map<Server, String> products = new LinkedHashMap<>();
    List<LockException> failures = new ArrayList<>();
    for (Server server : servers.all()) {
      JedisCalls calls = server.calls();
      try {
        ServerInfo info =
            calls.on(Use.HOLDER, "tell about itself (INFO)", nobodys, OpeningCheck::info);
        info.requireFit(calls.address(), config.get(JedisOptions.REPLICAS), false);
        products.put(server, info.product());
      } catch (BackendUnavailableException | OutcomeUnknownException e) {
        failures.add(e);
      }
    }
    if (products.isEmpty() && !failures.isEmpty()) {
      throw failures.get(0);
    }
    failures.forEach(failure ->
        LOG.log(Level.WARNING, "Locks of one server cannot be had now: " + failure.getMessage()));
    return products;
  }

  /**
   * Finds keys that are no lock's on each of some servers.
   *
   * @param servers that have locks
   * @param layout names keys
   * @param wanted some of the servers
   * @return at least one
   * @throws BackendUnavailableException if none of them has any keys
   */
  static List<LockKeys> nobodysKeys(Servers servers, KeyLayout layout, Collection<Server> wanted) {
    Map<Server, LockKeys> found = new LinkedHashMap<>();
    for (int bucket = 0; bucket < KeyLayout.BUCKETS; bucket++) {
      LockKeys keys = layout.nobodys(bucket);
      try {
        Server server = servers.of(keys).server();
        if (wanted.contains(server)) {
          found.putIfAbsent(server, keys);
        }
      } catch (BackendUnavailableException e) {
        LOG.log(Level.DEBUG, "no server has the keys of a bucket", e);
      }
    }
    if (found.isEmpty()) {
      throw new BackendUnavailableException(
          "None of the servers at " + servers.address() + " that answer has any locks now");
    }
    return List.copyOf(found.values());
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
