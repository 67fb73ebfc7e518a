package dev.interlock.mysql;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;

/**
 * Stands between client and server, and on demand cuts a connection just as the reply to a
 * statement about the lock tables comes back. What a pool sends when it opens or checks a
 * connection counts not.
 */
final class ReplyEater implements AutoCloseable {
  private static final String TABLES = "interlock_";

  private final String host;
  private final int port;
  private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  private final AtomicBoolean hungry = new AtomicBoolean();

  ReplyEater(String host, int port) throws IOException {
    this.host = host;
    this.port = port;
    start(this::accept);
  }

  int port() {
    return listener.getLocalPort();
  }

  void eatTheNextReply() {
    hungry.set(true);
  }

  private void accept() {
    try {
      while (true) {
        Socket client = listener.accept();
        Socket server = new Socket(host, port);
        AtomicBoolean eaten = new AtomicBoolean();
        start(() -> copy(client, server, request -> order(request, eaten)));
        start(() -> copy(server, client, reply -> eaten.get()));
      }
    } catch (IOException closed) {
      // The test is over.
    }
  }

  private boolean order(String request, AtomicBoolean eaten) {
    if (request.contains(TABLES) && hungry.compareAndSet(true, false)) {
      eaten.set(true);
    }
    return false;
  }

  private static void copy(Socket from, Socket to, Predicate<String> cuts) {
    byte[] buffer = new byte[1 << 16];
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      int length = in.read(buffer);
      while (length >= 0 && !cuts.test(new String(buffer, 0, length, ISO_8859_1))) {
        out.write(buffer, 0, length);
        length = in.read(buffer);
      }
    } catch (IOException cut) {
      // One side is gone; the other is closed as well.
    }
  }

  private static void start(Runnable task) {
    Thread thread = new Thread(task, "reply-eater");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }
}
