package dev.interlock.tck.teststore;

import dev.interlock.BackendUnavailableException;
import dev.interlock.OutcomeUnknownException;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.net.Socket;
import java.util.Deque;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A client's connections: as many as there are commands on the way at once. */
final class StoreConnections implements AutoCloseable {
  private static final int TIMEOUT_MILLIS = 5_000;

  private record Connection(Socket socket, ObjectOutputStream out, ObjectInputStream in) {}

  private final String host;
  private final int port;
  private final Deque<Connection> idle = new ConcurrentLinkedDeque<>();
  private final Set<Socket> all = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  StoreConnections(String host, int port) {
    this.host = host;
    this.port = port;
  }

  Object call(Command command) {
    Connection connection = take();
    try {
      write(connection, command);
      Object answer = connection.in().readUnshared();
      idle.push(connection);
      return answer;
    } catch (IOException | ClassNotFoundException e) {
      drop(connection);
      throw new OutcomeUnknownException("the store did not answer", e);
    }
  }

  /** Listens on a connection of its own until the connections are closed. */
  void subscribe(String client, Consumer<Store.Event> listener) {
    Connection connection = take();
    try {
      write(connection, client);
      Object answer = connection.in().readUnshared();
      connection.socket().setSoTimeout(0);
      StoreServer.thread("teststore-events-" + answer, () -> listen(connection, listener));
    } catch (IOException | ClassNotFoundException e) {
      drop(connection);
      throw new BackendUnavailableException("the store did not subscribe", e);
    }
  }

  private void listen(Connection connection, Consumer<Store.Event> listener) {
    try {
      while (connection.in().readUnshared() instanceof Store.Event event) {
        listener.accept(event);
      }
    } catch (IOException | ClassNotFoundException e) {
      drop(connection);
    }
  }

  private Connection take() {
    Connection connection = closed ? null : idle.poll();
    return connection == null ? open() : connection;
  }

  private Connection open() {
    if (closed) {
      throw new BackendUnavailableException("the client is closed");
    }
    try {
      Socket socket = new Socket(host, port);
      socket.setTcpNoDelay(true);
      socket.setSoTimeout(TIMEOUT_MILLIS);
      all.add(socket);
      if (closed) {
        // The close that came meanwhile may have gone through the sockets before this one was
        // there.
        socket.close();
      }
      ObjectOutputStream out =
          new ObjectOutputStream(new BufferedOutputStream(socket.getOutputStream()));
      out.flush();
      return new Connection(
          socket, out, new ObjectInputStream(new BufferedInputStream(socket.getInputStream())));
    } catch (IOException e) {
      throw new BackendUnavailableException("the store cannot be reached", e);
    }
  }

  private static void write(Connection connection, Object message) throws IOException {
    connection.out().writeUnshared(message);
    connection.out().reset();
    connection.out().flush();
  }

  private void drop(@Nullable Connection connection) {
    if (connection != null) {
      close(connection.socket());
      all.remove(connection.socket());
    }
  }

  @Override
  public void close() {
    closed = true;
    all.forEach(StoreConnections::close);
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // It is closed then.
    }
  }
}
