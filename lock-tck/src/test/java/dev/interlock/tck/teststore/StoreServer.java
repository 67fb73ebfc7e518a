package dev.interlock.tck.teststore;

import dev.interlock.tck.TckFault;
import dev.interlock.tck.TckServer;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/** Serves a {@link Store} over TCP to all JVMs of this host. */
public final class StoreServer implements TckServer, AutoCloseable {
  /** Instead of a command: from now on this connection is for events. */
  static final String SUBSCRIBE = "subscribe";

  private static final int BACKLOG = 200;
  private static final long BIND_LIMIT = TimeUnit.SECONDS.toNanos(10);
  private static final long BIND_RETRY = TimeUnit.MILLISECONDS.toNanos(5);

  private final int port;
  private final Store store;
  private final Fault fault;
  private final Set<Socket> clients = ConcurrentHashMap.newKeySet();
  private final Object pausing = new Object();
  private boolean paused;
  private volatile ServerSocket socket;

  private StoreServer(ServerSocket socket, Fault fault) {
    this.socket = socket;
    this.port = socket.getLocalPort();
    this.store = new Store(fault);
    this.fault = fault;
  }

  public static StoreServer start(Fault fault) throws IOException {
    ServerSocket socket = new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
    StoreServer server = new StoreServer(socket, fault);
    thread("teststore-accept", () -> server.accept(socket));
    return server;
  }

  /** Returns where it listens. */
  public int port() {
    return port;
  }

  /** Where clients without a queue connect. */
  public String uri() {
    return uri("teststore");
  }

  /** Where clients with a queue connect. */
  public String fairUri() {
    return uri("fairstore");
  }

  /** Where clients connect that know of leases in whole seconds. */
  public String secondsUri() {
    return uri("secondsstore");
  }

  /** Where clients with a queue and shared owners connect. */
  public String sharedUri() {
    return uri("sharedstore");
  }

  /** Where clients connect that share locks. */
  public String countedUri() {
    return uri("countedstore");
  }

  /** Where clients with a queue connect that believe all is durable. */
  public String durableUri() {
    return uri("durablestore");
  }

  private String uri(String provider) {
    return provider
        + "://127.0.0.1:%d?fault=%s"
            .formatted(port, fault.name().toLowerCase(Locale.ROOT).replace('_', '-'));
  }

  /** Counts what the store keeps. */
  public long entries() {
    return store.entries();
  }

  private void accept(ServerSocket listener) {
    while (!listener.isClosed()) {
      try {
        Socket client = listener.accept();
        client.setTcpNoDelay(true);
        clients.add(client);
        thread("teststore-client", () -> serve(client));
        if (listener.isClosed()) {
          client.close();
        }
      } catch (IOException e) {
        return;
      }
    }
  }

  private void serve(Socket socket) {
    String client = "";
    Consumer<Wire.Event> subscriber = null;
    try (socket;
        ObjectOutputStream out =
            new ObjectOutputStream(new BufferedOutputStream(socket.getOutputStream()))) {
      out.flush();
      ObjectInputStream in =
          new ObjectInputStream(new BufferedInputStream(socket.getInputStream()));
      client = (String) in.readUnshared();
      store.joined(client);
      while (true) {
        Object message = in.readUnshared();
        awaitResumed();
        if (message instanceof Command command) {
          send(out, answer(client, command));
        } else if (SUBSCRIBE.equals(message)) {
          subscriber = event -> push(out, event);
          store.subscribe(client, subscriber);
          send(out, "subscribed");
        }
      }
    } catch (IOException | ClassNotFoundException e) {
      // The client has left.
    } finally {
      clients.remove(socket);
      store.left(client);
      if (subscriber != null) {
        store.unsubscribe(client, subscriber);
      }
    }
  }

  private Serializable answer(String client, Command command) {
    try {
      Serializable answer = store.execute(client, command);
      return answer == null ? "nothing" : answer;
    } catch (IllegalStateException e) {
      return e;
    }
  }

  private static void push(ObjectOutputStream out, Wire.Event event) {
    try {
      send(out, event);
    } catch (IOException e) {
      // A subscriber that has left is told nothing; it looks again by itself.
    }
  }

  private static void send(ObjectOutputStream out, Serializable answer) throws IOException {
    synchronized (out) {
      out.writeUnshared(answer);
      out.reset();
      out.flush();
    }
  }

  private void awaitResumed() throws IOException {
    synchronized (pausing) {
      while (paused) {
        try {
          pausing.wait();
        } catch (InterruptedException e) {
          throw new IOException("interrupted", e);
        }
      }
    }
  }

  @Override
  public Set<TckFault> faults() {
    return EnumSet.complementOf(EnumSet.of(TckFault.CONNECTION));
  }

  @Override
  public void heal() throws IOException {
    resume();
    readOnly(false);
    full(false);
    start();
  }

  @Override
  public void pause() {
    synchronized (pausing) {
      paused = true;
    }
  }

  @Override
  public void resume() {
    synchronized (pausing) {
      paused = false;
      pausing.notifyAll();
    }
  }

  @Override
  public void kill() throws IOException {
    socket.close();
    closeClients();
    store.crash();
  }

  @Override
  public void start() throws IOException {
    if (socket.isClosed()) {
      ServerSocket again = bind();
      socket = again;
      thread("teststore-accept", () -> accept(again));
    }
  }

  /** A client that tries to connect meanwhile may have the port for its own end for a moment. */
  private ServerSocket bind() throws IOException {
    long deadline = System.nanoTime() + BIND_LIMIT;
    while (true) {
      ServerSocket again = new ServerSocket();
      again.setReuseAddress(true);
      try {
        again.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), BACKLOG);
        return again;
      } catch (IOException e) {
        again.close();
        if (System.nanoTime() - deadline > 0) {
          throw e;
        }
        LockSupport.parkNanos(BIND_RETRY);
      }
    }
  }

  @Override
  public void loseState() {
    store.loseState();
  }

  @Override
  public void closeClients() throws IOException {
    for (Socket client : clients) {
      client.close();
    }
  }

  @Override
  public boolean disturb() {
    store.disturb();
    return true;
  }

  @Override
  public void readOnly(boolean on) {
    store.readOnly(on);
  }

  @Override
  public void full(boolean on) {
    store.full(on);
  }

  @Override
  public void spoil(String name) {
    store.spoil(name);
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }

  static void thread(String name, Runnable work) {
    Thread thread = daemon(work);
    thread.setName(name);
    thread.start();
  }

  static Thread daemon(Runnable work) {
    Thread thread = new Thread(work, "teststore");
    thread.setDaemon(true);
    return thread;
  }
}
