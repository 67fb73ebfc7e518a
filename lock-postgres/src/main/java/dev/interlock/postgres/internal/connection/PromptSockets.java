package dev.interlock.postgres.internal.connection;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import javax.net.SocketFactory;

/**
 * Makes sockets on which a notification arrives at once. After each notification pgjdbc looks
 * whether another one is there, by a read with a timeout of 1 ms, the shortest that a socket can
 * have, and only then tells of the first one. Here a read with that timeout does not wait.
 * Thread-safe.
 */
public final class PromptSockets extends SocketFactory {
  private static final int LOOKS_MILLIS = 1;

  /** For the driver, which makes it by its name; so does a native image (reachability metadata). */
  public PromptSockets() {}

  @Override
  public Socket createSocket() {
    return new PromptSocket();
  }

  @Override
  public Socket createSocket(String host, int port) {
    throw unused();
  }

  @Override
  public Socket createSocket(String host, int port, InetAddress local, int localPort) {
    throw unused();
  }

  @Override
  public Socket createSocket(InetAddress host, int port) {
    throw unused();
  }

  @Override
  public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort) {
    throw unused();
  }

  private static UnsupportedOperationException unused() {
    return new UnsupportedOperationException("the driver connects its sockets itself");
  }

  private static final class PromptSocket extends Socket {
    private volatile boolean looks;

    @Override
    public synchronized void setSoTimeout(int millis) throws SocketException {
      super.setSoTimeout(millis);
      looks = millis == LOOKS_MILLIS;
    }

    @Override
    public InputStream getInputStream() throws IOException {
      return new FilterInputStream(super.getInputStream()) {
        @Override
        public int read() throws IOException {
          checkPresence();
          return super.read();
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
          checkPresence();
          return super.read(bytes, offset, length);
        }

        /** At the end of the stream it says nothing; the next read that waits finds that out. */
        private void checkPresence() throws IOException {
          if (looks && in.available() == 0) {
            throw new SocketTimeoutException("nothing is there yet");
          }
        }
      };
    }
  }
}
