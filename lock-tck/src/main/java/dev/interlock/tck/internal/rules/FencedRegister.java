package dev.interlock.tck.internal.rules;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/**
 * What a lock with tokens is for: a number in a process of its own, which refuses whoever comes
 * with a smaller token than it has seen. It knows nothing of leases.
 */
final class FencedRegister implements AutoCloseable {
  private static final int READ = 0;
  private static final int WRITE = 1;
  private static final int BACKLOG = 50;

  private final ServerSocket listener;
  private long largest = Long.MIN_VALUE;
  private long value;
  private long refused;

  private FencedRegister(ServerSocket listener) {
    this.listener = listener;
  }

  static FencedRegister open() throws IOException {
    FencedRegister register =
        new FencedRegister(new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress()));
    thread(register::accept);
    return register;
  }

  int port() {
    return listener.getLocalPort();
  }

  synchronized long value() {
    return value;
  }

  synchronized long refused() {
    return refused;
  }

  private synchronized boolean admit(long token) {
    if (token < largest) {
      refused++;
      return false;
    }
    largest = token;
    return true;
  }

  private synchronized long read(long token) {
    return admit(token) ? value : -1;
  }

  private synchronized long write(long token, long newValue) {
    if (!admit(token)) {
      return -1;
    }
    value = newValue;
    return value;
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket client = listener.accept();
        client.setTcpNoDelay(true);
        thread(() -> serve(client));
      } catch (IOException e) {
        return;
      }
    }
  }

  private void serve(Socket client) {
    try (client;
        DataInputStream in = new DataInputStream(client.getInputStream());
        DataOutputStream out = new DataOutputStream(client.getOutputStream())) {
      while (true) {
        boolean reads = in.readByte() == READ;
        long token = in.readLong();
        long newValue = in.readLong();
        out.writeLong(reads ? read(token) : write(token, newValue));
        out.flush();
      }
    } catch (IOException e) {
      // The client has left.
    }
  }

  private static void thread(Runnable work) {
    Thread thread = new Thread(work, "tck-register");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }

  /** A connection to a register. For one thread. */
  static final class Client implements AutoCloseable {
    private final Socket socket;
    private final DataInputStream in;
    private final DataOutputStream out;

    Client(int port) throws IOException {
      socket = new Socket(InetAddress.getLoopbackAddress(), port);
      socket.setTcpNoDelay(true);
      in = new DataInputStream(socket.getInputStream());
      out = new DataOutputStream(socket.getOutputStream());
    }

    /** Answers -1 if the token is too small. */
    long read(long token) throws IOException {
      return ask(READ, token, 0);
    }

    /** Answers false if the token is too small. */
    boolean write(long token, long value) throws IOException {
      return ask(WRITE, token, value) >= 0;
    }

    private long ask(int operation, long token, long value) throws IOException {
      out.writeByte(operation);
      out.writeLong(token);
      out.writeLong(value);
      out.flush();
      return in.readLong();
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }
}
