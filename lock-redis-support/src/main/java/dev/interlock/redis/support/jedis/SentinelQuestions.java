package dev.interlock.redis.support.jedis;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.interlock.HostPort;
import dev.interlock.LockConfig;
import dev.interlock.redis.support.RedisOptions;
import dev.interlock.redis.support.SentinelMajority;
import dev.interlock.spi.ClientId;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.Protocol.Command;

/** Asks sentinels and servers over connections of their own, each on a daemon thread. */
final class SentinelQuestions implements SentinelMajority.Questions {
  private final LockConfig config;
  private final ClientId client;

  SentinelQuestions(LockConfig config, ClientId client) {
    this.config = config;
    this.client = client;
  }

  @Override
  public CompletionStage<Optional<HostPort>> master(HostPort sentinel) {
    CommandArguments question = new CommandArguments(Command.SENTINEL)
        .add("GET-MASTER-ADDR-BY-NAME")
        .add(config.get(RedisOptions.MASTER));
    return EachServer.begin(() ->
        ask(sentinel, ConnectionSettings.ofSentinels(config, client), question)
                    instanceof List<?> address
                && address.size() == 2
            ? Optional.of(HostPort.of(text(address.get(0)), Integer.parseInt(text(address.get(1)))))
            : Optional.empty());
  }

  /** HELLO takes no rights, unlike ROLE. */
  @Override
  public CompletionStage<Boolean> isMaster(HostPort server) {
    CommandArguments question = new CommandArguments(Command.HELLO).add("2");
    return EachServer.begin(() ->
        ask(server, ConnectionSettings.ofServers(config, client), question) instanceof List<?> facts
            && hasRole(facts));
  }

  private static Object ask(HostPort to, JedisClientConfig settings, CommandArguments question) {
    HostAndPort address = new HostAndPort(to.host(), to.port().orElseThrow());
    try (Connection connection = new Connection(address, settings)) {
      return connection.executeCommand(question);
    }
  }

  /** Names and values by turns. */
  private static boolean hasRole(List<?> facts) {
    for (int i = 0; i + 1 < facts.size(); i += 2) {
      if (text(facts.get(i)).equals("role")) {
        return text(facts.get(i + 1)).equals("master");
      }
    }
    return false;
  }

  private static String text(Object word) {
    return new String((byte[]) word, UTF_8);
  }
}
