package dev.interlock.tck.teststore;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * Puts a server far away: whatever passes arrives later, in the order in which it was sent, and
 * nothing waits for what went before. A connection is made at once.
 */
public final class DistantServer implements AutoCloseable {
  private static final int BACKLOG = 200;
  private static final int BUFFER = 32 * 1024;

  /** What was read, and when it is to arrive; nothing of the sender is left after an empty one. */
  private record Piece(ByteBuffer bytes, long due) {}

  private final ServerSocket listener;
  private final int port;
  private final long delay;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

  private DistantServer(ServerSocket listener, int port, Duration delay) {
    this.listener = listener;
    this.port = port;
    this.delay = delay.toNanos();
  }

  /** Stands before a server of this host; a request and its answer take twice the delay longer. */
  public static DistantServer before(int port, Duration delay) throws IOException {
    ServerSocket listener = new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
    DistantServer server = new DistantServer(listener, port, delay);
    StoreServer.thread("distant-accept", server::accept);
    return server;
  }

  /** Returns the URI of the near server as that of the distant one. */
  public String uri(String near) {
    return near.replace(":" + port, ":" + listener.getLocalPort());
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket client = listener.accept();
        sockets.add(client);
        connect(client);
      } catch (IOException e) {
        // It is closed, or this one could not be let through.
      }
    }
  }

  private void connect(Socket client) throws IOException {
    Socket server;
    try {
      server = new Socket(InetAddress.getLoopbackAddress(), port);
    } catch (IOException e) {
      close(client);
      throw e;
    }
    sockets.add(server);
    client.setTcpNoDelay(true);
    server.setTcpNoDelay(true);
    carry(client, server);
    carry(server, client);
  }

  private void carry(Socket from, Socket to) {
    BlockingQueue<Piece> onTheWay = new LinkedBlockingQueue<>();
    StoreServer.thread("distant-read", () -> {
      byte[] buffer = new byte[BUFFER];
      try (InputStream in = from.getInputStream()) {
        for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
          onTheWay.add(
              new Piece(ByteBuffer.wrap(Arrays.copyOf(buffer, length)), System.nanoTime() + delay));
        }
      } catch (IOException e) {
        // The other side learns of it below, when what was sent has arrived.
      }
      onTheWay.add(new Piece(ByteBuffer.allocate(0), System.nanoTime() + delay));
    });
    StoreServer.thread("distant-write", () -> {
      try (OutputStream out = to.getOutputStream()) {
        for (Piece next = due(onTheWay); next.bytes().hasRemaining(); next = due(onTheWay)) {
          out.write(next.bytes().array());
          out.flush();
        }
      } catch (IOException | InterruptedException e) {
        // There is nobody to write to.
      }
      close(from);
      close(to);
    });
  }

  private static Piece due(BlockingQueue<Piece> onTheWay) throws InterruptedException {
    Piece next = onTheWay.take();
    for (long left = next.due() - System.nanoTime();
        left > 0;
        left = next.due() - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
    return next;
  }

  private void close(Socket socket) {
    sockets.remove(socket);
    try {
      socket.close();
    } catch (IOException e) {
      // It is closed then.
    }
  }

  @Override
  public void close() throws IOException {
    listener.close();
    sockets.forEach(this::close);
  }
}
