package dev.interlock.redis.support.jedis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.exceptions.JedisConnectionException;

/**
 * A socket whose answers can be awaited for a short while. Jedis cannot: a time limit that passes
 * in the middle of an answer leaves it with half of one. This keeps what has come, and Jedis reads
 * it from here when it is whole. For one thread at a time.
 */
final class PatientSocket extends Socket {
  private static final int ROOM = 512;

  // What has come and was not read yet.
  private byte[] ahead = new byte[ROOM];
  private int from;
  private int to;

  /**
   * Connects to the first address that answers, with the options that Jedis sets.
   *
   * @throws JedisConnectionException if none of the addresses answers
   */
  static PatientSocket connect(HostAndPort server, JedisClientConfig settings) {
    JedisConnectionException failure =
        new JedisConnectionException("cannot connect to any address of " + server);
    try {
      for (InetAddress address : InetAddress.getAllByName(server.getHost())) {
        PatientSocket socket = new PatientSocket();
        try {
          socket.setKeepAlive(true);
          socket.setTcpNoDelay(true);
          socket.setSoLinger(true, 0);
          socket.connect(
              new InetSocketAddress(address, server.getPort()),
              settings.getConnectionTimeoutMillis());
          socket.setSoTimeout(settings.getSocketTimeoutMillis());
          return socket;
        } catch (IOException e) {
          socket.close();
          failure.addSuppressed(e);
        }
      }
    } catch (IOException e) {
      failure.addSuppressed(e);
    }
    throw failure;
  }

  /** What came ahead is read first. */
  @Override
  public InputStream getInputStream() throws IOException {
    return new FilterInputStream(super.getInputStream()) {
      @Override
      public int read() throws IOException {
        return from < to ? ahead[from++] & 0xff : super.read();
      }

      @Override
      public int read(byte[] target, int offset, int length) throws IOException {
        if (from == to) {
          return super.read(target, offset, length);
        }
        int read = Math.min(length, to - from);
        System.arraycopy(ahead, from, target, offset, read);
        from += read;
        return read;
      }
    };
  }

  /**
   * Waits until answers are here as a whole, and leaves them to be read. Not after a part of an
   * answer was read.
   *
   * @param count how many answers
   * @param nanos how long to wait; what has come already is looked at in any case
   * @return whether all are here
   * @throws IOException if none will come any more, or more has come than answers
   */
  boolean has(int count, long nanos) throws IOException {
    long deadline = System.nanoTime() + nanos;
    int patience = getSoTimeout();
    try {
      long left = nanos;
      do {
        setSoTimeout((int) Math.max(1, TimeUnit.NANOSECONDS.toMillis(left)));
        fill();
        int end = endOf(count);
        if (end == to) {
          return true;
        }
        if (end >= 0) {
          throw new IOException("the server has said more than it was asked");
        }
        left = deadline - System.nanoTime();
      } while (left > 0);
      return false;
    } catch (SocketTimeoutException e) {
      return false;
    } finally {
      setSoTimeout(patience);
    }
  }

  private void fill() throws IOException {
    if (from == to) {
      from = 0;
      to = 0;
    } else if (to == ahead.length) {
      ahead = Arrays.copyOf(ahead, 2 * ahead.length);
    }
    int read = super.getInputStream().read(ahead, to, ahead.length - to);
    if (read < 0) {
      throw new EOFException("the server has closed the connection");
    }
    to += read;
  }

  /** Where so many answers (of RESP2) end; -1 if they do not yet. */
  private int endOf(int count) throws IOException {
    int at = from;
    for (long left = count; left > 0; left--) {
      int line = at;
      at = endOfLine(line);
      if (at < 0) {
        return -1;
      }
      switch (ahead[line]) {
        case '$' -> {
          long length = number(line, at);
          if (length >= 0 && length + 2 > to - at) {
            return -1;
          }
          at += length < 0 ? 0 : (int) length + 2;
        }
        case '*' -> left += Math.max(0, number(line, at));
        case '+', '-', ':' -> {}
        default -> throw new IOException("the server has said what is no answer");
      }
    }
    return at;
  }

  private int endOfLine(int line) {
    for (int i = line; i < to; i++) {
      if (ahead[i] == '\n') {
        return i + 1;
      }
    }
    return -1;
  }

  /** Of a line such as {@code $12}. */
  private long number(int line, int end) throws IOException {
    String text = new String(ahead, line + 1, end - line - 1, US_ASCII).strip();
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw new IOException("the server has said no number: " + text, e);
    }
  }
}
