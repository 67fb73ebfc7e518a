package dev.interlock.compare.figures;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Stands between clients and a server and counts turns: how often a client sent something after it
 * had been answered. That is the number of round trips, whatever the protocol; commands sent
 * together count once. Thread-safe.
 */
final class TurnProxy implements AutoCloseable {
  private static final int BUFFER = 16 * 1024;

  private final ServerSocket listener;
  private final String host;
  private final int port;
  private final AtomicLong turns = new AtomicLong();
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

  private TurnProxy(ServerSocket listener, String host, int port) {
    this.listener = listener;
    this.host = host;
    this.port = port;
  }

  /** Starts on a free port of the loopback address. */
  static TurnProxy before(String host, int port) throws IOException {
    ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    TurnProxy proxy = new TurnProxy(listener, host, port);
    proxy.thread(proxy::accept);
    return proxy;
  }

  /** Where clients connect to, as a URI names it. */
  String address() {
    return "127.0.0.1:" + listener.getLocalPort();
  }

  long turns() {
    return turns.get();
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket client = listener.accept();
        sockets.add(client);
        Socket server = new Socket(host, port);
        sockets.add(server);
        client.setTcpNoDelay(true);
        server.setTcpNoDelay(true);
        AtomicBoolean answered = new AtomicBoolean(true);
        thread(() -> pump(client, server, () -> {
          if (answered.getAndSet(false)) {
            turns.incrementAndGet();
          }
        }));
        thread(() -> pump(server, client, () -> answered.set(true)));
      } catch (IOException e) {
        // Closed, or a connection that broke at once: its client sees that and says so.
      }
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
