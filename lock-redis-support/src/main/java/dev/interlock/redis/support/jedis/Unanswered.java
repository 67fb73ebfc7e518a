package dev.interlock.redis.support.jedis;

import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.args.Rawable;

/**
 * What was written to a server that has not answered yet. A write to a socket has no time limit:
 * where the other end has gone without a word it blocks once the operating system has no room left,
 * until that gives up, after a quarter of an hour. So no more is written than it has room for on
 * any connection. For one thread.
 */
public final class Unanswered {
  /** What Linux has room for on a connection at first, and no other system less. */
  private static final int MUCH = 16 * 1024;

  private int bytes;

  /** Writes a command. */
  public void send(Connection connection, CommandArguments command) {
    connection.sendCommand(command);
    for (Rawable part : command) {
      bytes += part.getRaw().length;
    }
  }

  /** Whether answers are to be read before more is written. */
  public boolean isMuch() {
    return bytes >= MUCH;
  }
}
