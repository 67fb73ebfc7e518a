package dev.interlock.redis.support.jedis;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisConnectionException;

/**
 * A Jedis connection that listens. Used directly and not through Jedis' own loop, because that one
 * cannot tell a dead connection from a quiet one.
 */
final class JedisMailboxLink implements MailboxLink {
  private static final int MESSAGE_PARTS = 3;

  private final Connection connection;

  JedisMailboxLink(Connection connection) {
    this.connection = connection;
  }

  @Override
  public void subscribe(byte[] channel) {
    connection.executeCommand(new CommandArguments(Command.SUBSCRIBE).add(channel));
    connection.setSoTimeout(0); // from now on, quiet is normal; Mailbox.check finds the dead
  }

  @Override
  public byte @Nullable [] read() {
    // RESP2 answers a ping with two parts, RESP3 with none; a message has three in both.
    Object next = connection.getUnflushedObject();
    boolean message = next instanceof List<?> parts && parts.size() == MESSAGE_PARTS;
    return message && ((List<?>) next).get(2) instanceof byte[] payload ? payload : null;
  }

  @Override
  public void ping() {
    if (!connection.isConnected()) { // Jedis would connect again, for nobody to listen there
      throw new JedisConnectionException("the connection is closed");
    }
    connection.sendCommand(Command.PING);
    connection.getMany(0); // flushes, and reads nothing: that is the other thread's part
  }

  @Override
  public void close() {
    try {
      connection.forceDisconnect();
    } catch (IOException e) {
      // It is closed all the same.
    }
  }
}
