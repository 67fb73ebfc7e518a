package dev.interlock.mysql;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.awaitility.Awaitility;

/**
 * Stands between client and server, and on demand cuts a connection just as the reply to the next
 * request comes back. What is sent may be encrypted, so it is not looked at.
 */
public final class ReplyEater implements AutoCloseable {
  private static final int QUIET_LOOKS = 10;

  private final String host;
  private final int port;
  private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  private final AtomicBoolean hungry = new AtomicBoolean();
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private volatile boolean refusing;
  private final AtomicLong traffic = new AtomicLong();

  public ReplyEater(String host, int port) throws IOException {
    this.host = host;
    this.port = port;
    start(this::accept);
  }

  public int port() {
    return listener.getLocalPort();
  }

  /**
   * Waits until nothing is under way: a pool opens a connection in place of one that was cut. Looks
   * several times, for while the machine stands still nothing comes, either.
   */
  public void eatTheNextReply() {
    AtomicLong known = new AtomicLong();
    AtomicInteger looks = new AtomicInteger();
    Awaitility.await().pollInterval(Duration.ofMillis(20)).until(() -> {
      long now = traffic.get();
      return (known.getAndSet(now) == now ? looks.incrementAndGet() : looks.updateAndGet(any -> 0))
          >= QUIET_LOOKS;
    });
    hungry.set(true);
  }

  /** Whether new connections are closed at once; those that are there go on. */
  public void refuse(boolean value) {
    refusing = value;
  }

  /** How many connections there are to the server. */
  public int connections() {
    return open.size();
  }

  private void accept() {
    try {
      while (true) {
        Socket client = listener.accept();
        if (refusing) {
          client.close();
          continue;
        }
        open.add(client);
        Socket server = new Socket(host, port);
        AtomicBoolean eaten = new AtomicBoolean();
        start(() -> copy(client, server, () -> order(eaten)));
        start(() -> copy(server, client, eaten::get));
      }
    } catch (IOException closed) {
      // The test is over.
    }
  }

  private boolean order(AtomicBoolean eaten) {
    if (hungry.compareAndSet(true, false)) {
      eaten.set(true);
    }
    return false;
  }

  private void copy(Socket from, Socket to, BooleanSupplier cuts) {
    byte[] buffer = new byte[1 << 16];
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      int length = in.read(buffer);
      while (length >= 0 && !cuts.getAsBoolean()) {
        traffic.incrementAndGet();
        out.write(buffer, 0, length);
        length = in.read(buffer);
      }
    } catch (IOException cut) {
      // One side is gone; the other is closed as well.
    } finally {
      open.remove(from);
      open.remove(to);
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
