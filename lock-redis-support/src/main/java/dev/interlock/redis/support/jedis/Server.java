package dev.interlock.redis.support.jedis;

import dev.interlock.redis.support.LockKeys;
import dev.interlock.redis.support.ServerClock;
import dev.interlock.redis.support.jedis.Connections.Use;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisNoScriptException;

/**
 * One server that has locks, and what there is once for each server: connections, commands that are
 * sent together, what is known of its clock. Thread-safe.
 */
public final class Server implements AutoCloseable {
  private final Connections connections;
  private final JedisCalls calls;
  private final SharedCalls shared;
  private final ServerClock clock = new ServerClock();
  private final Target target = new Target(this, false, 0);

  /**
   * Sends nothing yet.
   *
   * @param connections to the server; closed with this
   * @param timeout how long a command may wait to be sent
   */
  Server(Connections connections, Duration timeout) {
    this.connections = connections;
    this.calls = new JedisCalls(connections);
    this.shared = new SharedCalls(calls, timeout);
  }

  /** Where a command goes that has not been sent yet. */
  Target target() {
    return target;
  }

  Connections connections() {
    return connections;
  }

  /**
   * Returns what runs commands on a connection of their own.
   *
   * @return the calls
   */
  public JedisCalls calls() {
    return calls;
  }

  /**
   * Returns what is known of this server's clock.
   *
   * @return the clock
   */
  public ServerClock clock() {
    return clock;
  }

  /**
   * Sends a single command, together with those of other threads where that saves work.
   *
   * @param use who asks
   * @param asking whether it is announced by {@code ASKING}, as {@link Target#asking()}
   * @param action for messages, such as {@code "acquire"}
   * @param keys of the lock
   * @param arguments makes the command just before it is written, on any thread; quick
   * @return the answer; a {@link JedisNoScriptException} if the server does not know the script
   * @throws dev.interlock.BackendUnavailableException if it was not sent
   * @throws dev.interlock.LockException if the server refused it, or did not answer in time
   */
  public Object run(
      Use use, boolean asking, String action, LockKeys keys, Supplier<CommandArguments> arguments) {
    return asking ? ask(use, action, keys, arguments) : shared.run(use, action, keys, arguments);
  }

  private Object ask(Use use, String action, LockKeys keys, Supplier<CommandArguments> arguments) {
    return calls.on(use, action, keys, connection -> {
      connection.sendCommand(Command.ASKING);
      connection.sendCommand(arguments.get());
      List<Object> answers = connection.getMany(2);
      for (Object answer : answers) {
        if (answer instanceof JedisDataException refusal
            && !(answer instanceof JedisNoScriptException)) {
          throw refusal;
        }
      }
      return answers.get(1);
    });
  }

  /** Closes the connections. */
  @Override
  public void close() {
    connections.close();
  }
}
