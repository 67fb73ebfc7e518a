package dev.interlock.redis.support.contract;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Stands between a client and a server, and holds answers back, cuts among them, leads to another
 * server, or takes the client's machine away.
 */
public final class GatedProxy implements AutoCloseable {
  private static final int ENDLESS = Integer.MAX_VALUE;

  private final ServerSocket listener;
  private final Thread accepting = thread(this::accept);
  private volatile int serverPort;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final Set<Socket> deaf = ConcurrentHashMap.newKeySet();
  private final AtomicInteger connections = new AtomicInteger();
  private final AtomicInteger flushes = new AtomicInteger();
  private final Object gate = new Object();
  private boolean held; // guarded by gate
  private int linesLeft = ENDLESS; // guarded by gate
  private volatile boolean vanished;

  private GatedProxy(ServerSocket listener, int serverPort) {
    this.listener = listener;
    this.serverPort = serverPort;
  }

  public static GatedProxy before(int serverPort) throws IOException {
    GatedProxy proxy =
        new GatedProxy(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()), serverPort);
    proxy.accepting.start();
    return proxy;
  }

  public int port() {
    return listener.getLocalPort();
  }

  /** Leads the connections that are made from now on to another server, as a name may. */
  public void leadTo(int port) {
    serverPort = port;
  }

  /** From now on commands pass, and answers do not. */
  public void hold() {
    synchronized (gate) {
      held = true;
    }
  }

  public void open() {
    synchronized (gate) {
      held = false;
      gate.notifyAll();
    }
  }

  /** From now on nothing is heard on the connections that are there, and they stay open. */
  public void deafen() {
    deaf.addAll(sockets);
  }

  /**
   * From now on nothing passes, and nobody comes in. The server is told nothing, whatever the
   * client does: as when a machine goes down, its connections stay open there.
   */
  public void vanish() throws IOException {
    vanished = true;
    listener.close();
  }

  /** Lets so many lines of answers pass from now on, and then cuts every connection once. */
  public void cutAfter(int lines) {
    synchronized (gate) {
      linesLeft = lines;
    }
  }

  /** Cuts every connection now. */
  public void cut() {
    // Not those that are made meanwhile: they are the clients' next ones.
    List<Socket> now = List.copyOf(sockets);
    now.forEach(sockets::remove);
    now.forEach(GatedProxy::end);
  }

  /** How many connections were made. */
  public int connections() {
    return connections.get();
  }

  /** How often something came from a client: a batch that is written at once counts once. */
  public int flushes() {
    return flushes.get();
  }

  @Override
  public void close() throws IOException {
    listener.close();
    try {
      // The system may let connections in for as long as a thread is within accept.
      accepting.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    cut();
    open();
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket client = listener.accept();
        Socket server = new Socket(InetAddress.getLoopbackAddress(), serverPort);
        client.setTcpNoDelay(true);
        server.setTcpNoDelay(true);
        sockets.add(client);
        sockets.add(server);
        connections.incrementAndGet();
        start(() -> pump(client, server, false));
        start(() -> pump(server, client, true));
      } catch (IOException e) {
        // Closed, or the server is gone: the client sees that its connection ends.
      }
    }
  }

  private void pump(Socket from, Socket to, boolean answers) {
    byte[] buffer = new byte[64 * 1024];
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
        if (!answers) {
          flushes.incrementAndGet();
        }
        if (vanished || (answers && deaf.contains(from))) {
          continue;
        }
        int allowed = answers ? pass(buffer, length) : length;
        out.write(buffer, 0, allowed);
        out.flush();
        if (allowed < length) {
          cut();
        }
      }
    } catch (IOException | InterruptedException e) {
      // One side is gone; the other one is told below.
    } finally {
      if (!vanished) {
        end(from);
        end(to);
      }
    }
  }

  /** Waits at the gate; answers how much may pass. */
  private int pass(byte[] buffer, int length) throws InterruptedException {
    synchronized (gate) {
      while (held) {
        gate.wait();
      }
      if (linesLeft == ENDLESS) {
        return length;
      }
      for (int i = 0; i < length; i++) {
        if (linesLeft == 0) {
          linesLeft = ENDLESS;
          return i;
        }
        if (buffer[i] == '\n') {
          linesLeft--;
        }
      }
      return length;
    }
  }

  private static void start(Runnable work) {
    thread(work).start();
  }

  private static Thread thread(Runnable work) {
    Thread thread = new Thread(work, "gated-proxy");
    thread.setDaemon(true);
    return thread;
  }

  private static void end(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // It is of no more use either way.
    }
  }
}
