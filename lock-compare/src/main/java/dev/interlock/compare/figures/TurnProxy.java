package dev.interlock.compare.figures;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Stands between clients and a server and counts turns: how often a client sent something after it
 * had been answered. That is the number of round trips, whatever the protocol; commands sent
 * together count once. It can also lose an answer, and lead to another server. Thread-safe.
 */
public final class TurnProxy implements AutoCloseable {
  private static final int BUFFER = 16 * 1024;

  private final ServerSocket listener;
  private volatile InetSocketAddress target;
  private final AtomicLong turns = new AtomicLong();
  private final AtomicInteger turnsToLoss = new AtomicInteger();
  private final AtomicLong lost = new AtomicLong();
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

  private TurnProxy(ServerSocket listener, String host, int port) {
    this.listener = listener;
    this.target = new InetSocketAddress(host, port);
  }

  /** Starts on a free port of the loopback address. */
  public static TurnProxy before(String host, int port) throws IOException {
    ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    TurnProxy proxy = new TurnProxy(listener, host, port);
    proxy.thread(proxy::accept);
    return proxy;
  }

  /** Where clients connect to, as a URI names it. */
  public String address() {
    return "127.0.0.1:" + listener.getLocalPort();
  }

  public long turns() {
    return turns.get();
  }

  /**
   * Loses an answer: the server gets the question and acts, its answer goes nowhere, and the
   * connection is cut.
   *
   * @param turn of which turn from now on, from 1
   */
  public void loseReplyTo(int turn) {
    turnsToLoss.set(turn);
  }

  /** Cuts all connections, and leads those that are opened from now on to another server. */
  public void lead(String host, int port) {
    target = new InetSocketAddress(host, port);
    sockets.forEach(this::close);
  }

  /** How many answers were lost. */
  public long repliesLost() {
    return lost.get();
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        connect(listener.accept());
      } catch (IOException e) {
        // Closed, or a connection that broke at once: its client sees that and says so.
      }
    }
  }

  private void connect(Socket client) {
    sockets.add(client);
    try {
      Socket server = new Socket(target.getAddress(), target.getPort());
      sockets.add(server);
      client.setTcpNoDelay(true);
      server.setTcpNoDelay(true);
      AtomicBoolean answered = new AtomicBoolean(true);
      AtomicBoolean losing = new AtomicBoolean();
      thread(() -> pump(client, server, () -> {
        if (answered.getAndSet(false)) {
          turns.incrementAndGet();
          if (turnsToLoss.getAndUpdate(left -> Math.max(0, left - 1)) == 1) {
            losing.set(true);
          }
        }
      }));
      thread(() -> pump(server, client, () -> {
        if (losing.getAndSet(false)) {
          lost.incrementAndGet();
          // What would be forwarded now fails, and both ends are closed.
          close(client);
        }
        answered.set(true);
      }));
    } catch (IOException e) {
      // There is no server: its client must not wait for an answer.
      close(client);
    }
  }

  private void pump(Socket from, Socket to, Runnable beforeForwarding) {
    byte[] buffer = new byte[BUFFER];
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
        beforeForwarding.run();
        out.write(buffer, 0, length);
        out.flush();
      }
    } catch (IOException e) {
      // One side is gone; the other one is told below.
    } finally {
      close(from);
      close(to);
    }
  }

  private void close(Socket socket) {
    sockets.remove(socket);
    try {
      socket.close();
    } catch (IOException e) {
      // It is of no more use either way.
    }
  }

  private void thread(Runnable work) {
    Thread thread = new Thread(work, "interlock-turn-proxy");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() throws IOException {
    listener.close();
    sockets.forEach(this::close);
  }
}
