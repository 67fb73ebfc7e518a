package dev.interlock.redis.hash.internal.connection;

import dev.interlock.HostPort;
import dev.interlock.redis.support.RedisOptions;
import dev.interlock.redis.support.SentinelMajority;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.output.ValueListOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** Asks sentinels and servers over connections of their own. Blocks nowhere. */
final class SentinelQuestions implements SentinelMajority.Questions {
  private final RedisClient redis;
  private final ClientSetup setup;

  SentinelQuestions(RedisClient redis, ClientSetup setup) {
    this.redis = redis;
    this.setup = setup;
  }

  @Override
  public CompletionStage<Optional<HostPort>> master(HostPort sentinel) {
    return ask(
            setup.sentinel(sentinel),
            CommandType.SENTINEL,
            new ValueListOutput<>(StringCodec.UTF8),
            new CommandArgs<>(StringCodec.UTF8)
                .add("GET-MASTER-ADDR-BY-NAME")
                .add(setup.config().get(RedisOptions.MASTER)))
        .thenApply(address -> address.size() == 2
            ? Optional.of(HostPort.of(address.get(0), Integer.parseInt(address.get(1))))
            : Optional.empty());
  }

  /** HELLO takes no rights, unlike ROLE. */
  @Override
  public CompletionStage<Boolean> isMaster(HostPort server) {
    return ask(
            setup.uri(server),
            CommandType.HELLO,
            new NestedMultiOutput<>(StringCodec.UTF8),
            new CommandArgs<>(StringCodec.UTF8).add(2))
        .thenApply(SentinelQuestions::hasRole);
  }

  /** Names and values by turns. */
  private static boolean hasRole(List<Object> facts) {
    int role = facts.indexOf("role");
    return role >= 0 && role + 1 < facts.size() && facts.get(role + 1).equals("master");
  }

  /**
   * Asks over a new connection, and closes that. Not as Lettuce asks a sentinel: it warns each time
   * that one is down.
   */
  private <T> CompletionStage<T> ask(
      RedisURI server,
      CommandType type,
      CommandOutput<String, String, T> output,
      CommandArgs<String, String> arguments) {
    return redis
        .connectAsync(StringCodec.UTF8, server)
        .thenCompose(connection -> connection
            .async()
            .dispatch(type, output, arguments)
            .whenComplete((answer, failure) -> OpenConnections.closeSoon(connection)));
  }
}
