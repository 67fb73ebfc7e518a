package dev.interlock.tck.teststore;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Locale;

/** Serves a {@link Store} over TCP to all JVMs of this host. */
public final class StoreServer implements AutoCloseable {
  private final ServerSocket socket;
  private final Store store;
  private final Fault fault;

  private StoreServer(ServerSocket socket, Fault fault) {
    this.socket = socket;
    this.store = new Store(fault);
    this.fault = fault;
  }

  public static StoreServer start(Fault fault) throws IOException {
    ServerSocket socket = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
    StoreServer server = new StoreServer(socket, fault);
    thread("teststore-accept", server::accept);
    return server;
  }

  public String uri() {
    return "teststore://127.0.0.1:%d?fault=%s"
        .formatted(socket.getLocalPort(), fault.name().toLowerCase(Locale.ROOT).replace('_', '-'));
  }

  /** Counts what the store keeps. */
  public long entries() {
    return store.entries();
  }

  private void accept() {
    while (!socket.isClosed()) {
      try {
        Socket client = socket.accept();
        client.setTcpNoDelay(true);
        thread("teststore-client", () -> serve(client));
      } catch (IOException e) {
        return;
      }
    }
  }

  private void serve(Socket client) {
    String subscriber = null;
    try (client;
        ObjectOutputStream out =
            new ObjectOutputStream(new BufferedOutputStream(client.getOutputStream()))) {
      out.flush();
      ObjectInputStream in =
          new ObjectInputStream(new BufferedInputStream(client.getInputStream()));
      while (true) {
        Object message = in.readUnshared();
        if (message instanceof Command command) {
          send(out, answer(command));
        } else if (message instanceof String name) {
          subscriber = name;
          store.subscribe(name, event -> push(out, event));
          send(out, "subscribed");
        }
      }
    } catch (IOException | ClassNotFoundException e) {
      // The client has left.
    } finally {
      if (subscriber != null) {
        store.unsubscribe(subscriber);
      }
    }
  }

  private Serializable answer(Command command) {
    try {
      Serializable answer = store.execute(command);
      return answer == null ? "nothing" : answer;
    } catch (IllegalStateException e) {
      return e;
    }
  }

  private static void push(ObjectOutputStream out, Store.Event event) {
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

  @Override
  public void close() throws IOException {
    socket.close();
  }

  static void thread(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    thread.start();
  }
}
