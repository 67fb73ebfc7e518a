package dev.interlock.mysql;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicBoolean;

/** Stands between client and server, and on demand cuts a connection just as a reply comes back. */
final class ReplyEater implements AutoCloseable {
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
        start(() -> copy(client, server, false));
        start(() -> copy(server, client, true));
      }
    } catch (IOException closed) {
      // The test is over.
    }
  }

  private void copy(Socket from, Socket to, boolean replies) {
    byte[] buffer = new byte[1 << 16];
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      int length = in.read(buffer);
      while (length >= 0 && !(replies && hungry.compareAndSet(true, false))) {
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
