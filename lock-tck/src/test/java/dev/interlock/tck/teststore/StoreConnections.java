package dev.interlock.tck.teststore;

import dev.interlock.BackendUnavailableException;
import dev.interlock.LockException;
import dev.interlock.OutcomeUnknownException;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.Deque;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/** A client's connections: as many as there are commands on the way at once. */
final class StoreConnections implements AutoCloseable {
  /** How the message begins when the store has answered that it will not. */
  static final String REFUSED = "the store refused: ";

  private static final int TIMEOUT_MILLIS = 2_000;
  private static final int TRIES = 20;
  private static final int LEAK_EVERY = 100;
  private static final int HOARD = 300;
  private static final int MOST_FAILED = 40;
  private static final int PLACES = 64;
  private static final long RECONNECT = TimeUnit.MILLISECONDS.toNanos(50);

  private record Connection(
      Socket socket, ObjectOutputStream out, ObjectInputStream in, AtomicInteger owed) {

    Connection(Socket socket, ObjectOutputStream out, ObjectInputStream in) {
      this(socket, out, in, new AtomicInteger());
    }

    /** Reads the latest answer; earlier ones that were not awaited come first. */
    Object answer(boolean latest) throws IOException, ClassNotFoundException {
      owed.incrementAndGet();
      Object answer = in.readUnshared();
      while (owed.decrementAndGet() > 0 && latest) {
        answer = in.readUnshared();
      }
      return answer;
    }
  }

  private final String host;
  private final int port;
  private final String client;
  private final Fault fault;
  private final Deque<Connection> idle = new ConcurrentLinkedDeque<>();
  private final Set<Socket> all = ConcurrentHashMap.newKeySet();
  private final AtomicInteger answered = new AtomicInteger();
  private final AtomicInteger heard = new AtomicInteger();
  private final AtomicInteger failures = new AtomicInteger();
  private volatile boolean closed;
  private volatile boolean broken;

  StoreConnections(String host, int port, String client, Fault fault) {
    this.host = host;
    this.port = port;
    this.client = client;
    this.fault = fault;
  }

  /** Tells once that a connection was lost, for the fault that makes something of it. */
  boolean wasLost() {
    boolean lost = fault == Fault.GONE_AFTER_RECONNECT && broken;
    broken = broken && !lost;
    return lost;
  }

  boolean isClosed() {
    return closed;
  }

  Object call(Command command) {
    return call(command, fault != Fault.GIVES_UP_AT_ONCE);
  }

  /**
   * Sends a command.
   *
   * @param repeats whether it is sent again when the answer says so
   */
  Object call(Command command, boolean repeats) {
    for (int i = 0; i < TRIES; i++) {
      Object answer = once(command);
      if (!(answer instanceof IllegalStateException error)) {
        return answer;
      }
      if (!Store.AGAIN.equals(error.getMessage())) {
        throw new BackendUnavailableException(REFUSED + error.getMessage());
      }
      if (fault == Fault.ERROR_MEANS_BUSY) {
        return error;
      }
      if (!repeats) {
        throw new LockException("the store answered: again");
      }
    }
    throw new BackendUnavailableException("the store answers \"again\" for ever");
  }

  private Object once(Command command) {
    if (fault == Fault.FAILURES_USE_UP_PLACES && failures.get() >= PLACES) {
      throw new BackendUnavailableException("all places are taken");
    }
    try {
      return sent(command);
    } catch (BackendUnavailableException | OutcomeUnknownException e) {
      failures.incrementAndGet();
      throw e;
    }
  }

  private Object sent(Command command) {
    Connection connection = take();
    try {
      write(connection, command);
      Object answer = connection.answer(fault != Fault.LATE_ANSWER_IS_NEXT);
      if (!isLeftOpen()) {
        idle.push(connection);
      }
      return answer;
    } catch (SocketTimeoutException e) {
      if (fault == Fault.KEEPS_DEAF_CONNECTIONS || fault == Fault.LATE_ANSWER_IS_NEXT) {
        idle.push(connection);
      } else {
        failed(connection);
      }
      throw new OutcomeUnknownException("the store did not answer in time", e);
    } catch (IOException | ClassNotFoundException e) {
      failed(connection);
      throw new OutcomeUnknownException("the store did not answer", e);
    }
  }

  private boolean isLeftOpen() {
    return switch (fault) {
      case LEAKS_CONNECTIONS -> answered.incrementAndGet() % LEAK_EVERY == 0;
      case HOARDS_CONNECTIONS -> answered.incrementAndGet() <= HOARD;
      default -> false;
    };
  }

  /** The others are likely as old as this one. */
  private void failed(Connection connection) {
    broken = true;
    drop(connection);
    for (Connection old = idle.poll(); old != null; old = idle.poll()) {
      drop(old);
    }
  }

  /** Listens on a connection of its own until the connections are closed. */
  void subscribe(Consumer<Wire.Event> listener, Runnable inDoubt) {
    Connection connection = subscribed();
    StoreServer.thread("teststore-events", () -> {
      listen(connection, listener);
      int failed = 0;
      for (int tries = 0; !closed && !isDeaf(tries, failed); tries++) {
        try {
          Connection again = subscribed();
          failed = 0;
          if (fault != Fault.TRUSTS_MESSAGES) {
            inDoubt.run();
          }
          listen(again, listener);
        } catch (BackendUnavailableException e) {
          failed++;
          LockSupport.parkNanos(RECONNECT);
        }
      }
    });
  }

  /** For a first subscription that was cut, or one that failed so often since. */
  private boolean isDeaf(int tries, int failed) {
    return switch (fault) {
      case DEAF_AFTER_CUT -> true;
      case DEAF_AFTER_SECOND_CUT, DEAF_AFTER_FAILED_RECONNECT -> tries > 0;
      case DEAF_AFTER_OUTAGE -> failed > MOST_FAILED;
      default -> false;
    };
  }

  private Connection subscribed() {
    Connection connection = open();
    try {
      write(connection, StoreServer.SUBSCRIBE);
      connection.in().readUnshared();
      connection.socket().setSoTimeout(0);
      return connection;
    } catch (IOException | ClassNotFoundException e) {
      drop(connection);
      throw new BackendUnavailableException("the store did not subscribe", e);
    }
  }

  private void listen(Connection connection, Consumer<Wire.Event> listener) {
    try {
      while (connection.in().readUnshared() instanceof Wire.Event event) {
        if (heard.incrementAndGet() <= mostHeard()) {
          listener.accept(event);
        }
      }
    } catch (IOException | ClassNotFoundException e) {
      drop(connection);
    }
  }

  private int mostHeard() {
    return switch (fault) {
      case DEAF_AFTER_HUNDRED -> 100;
      case DEAF_AFTER_THOUSAND -> 1_000;
      default -> Integer.MAX_VALUE;
    };
  }

  /** Asks again and again until there is an answer. */
  void awaitAnswer() {
    boolean answered = false;
    while (!answered) {
      try {
        answered = (Boolean) call(store -> true);
      } catch (BackendUnavailableException | OutcomeUnknownException e) {
        LockSupport.parkNanos(RECONNECT);
      }
    }
  }

  /** Opens one more, for the fault that never closes it. */
  void openForWait() {
    var unused = open();
  }

  private Connection take() {
    if (fault == Fault.STAYS_BROKEN && broken) {
      throw new BackendUnavailableException("the store failed before");
    }
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
      out.writeUnshared(client);
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

  private void drop(Connection connection) {
    close(connection.socket());
    all.remove(connection.socket());
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
