package dev.interlock.redis.support.jedis;

import dev.interlock.LockException;
import dev.interlock.redis.support.LockKeys;
import dev.interlock.redis.support.jedis.Connections.Use;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.ObjIntConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Commands that were written in one go, and whose answers are read one by one. Of very many the
 * next ones are written once those before them are answered, see {@link Unanswered}. For one thread
 * at a time; whoever has it must {@link #read} in the end, unless {@link #await} has.
 */
public final class Exchange {
  private final JedisCalls calls;
  private final Use use;
  private final String action;
  private final LockKeys keys;
  private final Connection connection;
  private final List<Supplier<CommandArguments>> commands;
  private int written;
  private @Nullable RuntimeException failure;
  private boolean ended;

  /**
   * Writes the commands. What goes wrong shows when the answers are read, but an error, such as no
   * memory, shows here, and leaves the connection to the caller.
   */
  Exchange(
      JedisCalls calls,
      Use use,
      String action,
      LockKeys keys,
      Connection connection,
      List<Supplier<CommandArguments>> commands) {
    this.calls = calls;
    this.use = use;
    this.action = action;
    this.keys = keys;
    this.connection = connection;
    this.commands = commands;
    try {
      write();
    } catch (RuntimeException e) {
      failure = e;
    }
  }

  private void write() {
    Unanswered unanswered = new Unanswered();
    while (written < commands.size() && !unanswered.isMuch()) {
      unanswered.send(connection, commands.get(written).get());
      written++;
    }
    connection.getMany(0); // reads nothing: Jedis has no other way to flush
  }

  /** The connection is another one's from now on, and must not be read any more. */
  private void end(boolean healthy) {
    ended = true;
    calls.giveBack(use, connection, healthy);
  }

  /**
   * Reads the answers if all come within some time.
   *
   * @param nanos how long to wait
   * @param answers as for {@link #read}
   * @return whether they were read; if not, that is still to do
   */
  public boolean await(long nanos, ObjIntConsumer<Object> answers) {
    if (ended || failure != null || written < commands.size() || !isAnswered(nanos)) {
      return false;
    }
    List<Object> all = new ArrayList<>(written);
    try {
      while (all.size() < written) {
        all.add(next());
      }
    } catch (JedisException e) { // what came is no answer
      failure = e;
      return false;
    }
    end(all.stream().allMatch(this::isInOrder));
    for (int i = 0; i < written; i++) {
      answers.accept(all.get(i), i);
    }
    return true;
  }

  /** Whether the connection leads where it should. */
  private boolean isInOrder(Object answer) {
    return !(answer instanceof JedisDataException refusal) || calls.isInOrder(refusal);
  }

  private boolean isAnswered(long nanos) {
    try {
      return OwnConnections.has(connection, written, nanos);
    } catch (IOException e) {
      failure = new JedisConnectionException(e);
      return false;
    }
  }

  /** The next answer; an error answer as an exception. */
  private Object next() {
    try {
      return connection.getUnflushedObject();
    } catch (JedisDataException e) {
      return e;
    }
  }

  /**
   * Reads the answers one by one. The first command without an answer ends it: what is thrown is
   * the reason for that one and those behind it. Blocks for a bounded time.
   *
   * @param answers takes each answer as soon as it is there, in order, with the place of its
   *     command; error answers are exceptions
   */
  public void read(ObjIntConsumer<Object> answers) {
    boolean healthy = false;
    try {
      if (ended) { // after an error of whoever took the answers
        throw new JedisConnectionException("the answers were lost");
      }
      if (failure != null) {
        throw failure;
      }
      healthy = readEach(answers);
    } catch (RuntimeException e) {
      throw e instanceof LockException known ? known : calls.explain(action, keys, e);
    } finally {
      if (!ended) {
        end(healthy);
      }
    }
  }

  private boolean readEach(ObjIntConsumer<Object> answers) {
    long start = System.nanoTime();
    long patience = TimeUnit.MILLISECONDS.toNanos(connection.getSoTimeout());
    int begun = 0;
    boolean inOrder = true;
    for (int i = 0; i < commands.size(); i++) {
      if (i == written) {
        write();
        start = System.nanoTime();
        begun = i;
      }
      if (i > begun && System.nanoTime() - start > patience) {
        // Each answer may take as long as the time limit, all to what was written together no
        // longer than two of it.
        throw new JedisConnectionException("the answers before it took too long");
      }
      Object answer = next();
      inOrder &= isInOrder(answer);
      answers.accept(answer, i);
    }
    return inOrder;
  }
}
