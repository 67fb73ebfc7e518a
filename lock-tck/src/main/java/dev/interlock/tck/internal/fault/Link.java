package dev.interlock.tck.internal.fault;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** One connection through the proxy: two sockets, and what is to happen to the next reply. */
final class Link {
  private static final int BUFFER = 32 * 1024;
  private static final int FRAGMENTS = 24;

  private final FaultProxy proxy;
  private final Socket client;
  private final Socket server;
  private final AtomicReference<@Nullable Injection> onReply = new AtomicReference<>();
  private volatile boolean deaf;
  private volatile boolean silent;

  Link(FaultProxy proxy, Socket client, Socket server) {
    this.proxy = proxy;
    this.client = client;
    this.server = server;
  }

  /** Nothing comes back to the client any more. */
  boolean isDeaf() {
    return deaf;
  }

  /**
   * Nothing passes any more, in either direction, and nobody is told. The server's side stays open
   * though the client gives up its own, as that of a machine that is gone does.
   */
  void silence() {
    silent = true;
    deaf = true;
  }

  /** Resets both sides, as a broken network does; no orderly goodbye. */
  void cut() {
    reset(client);
    reset(server);
    proxy.ended(this);
  }

  void pumpRequests() {
    byte[] buffer = new byte[BUFFER];
    try {
      InputStream in = client.getInputStream();
      OutputStream out = server.getOutputStream();
      for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
        if (silent) {
          continue;
        }
        proxy.pass();
        Injection injection = proxy.harm(buffer, length);
        int passing = injection == null ? length : harmRequest(injection, length);
        out.write(buffer, 0, passing);
        out.flush();
        if (passing < length) {
          cut();
        }
      }
    } catch (IOException e) {
      // One side is gone; the other one is told below.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (silent) {
      close(client); // the server hears nothing of it
    } else {
      end();
    }
  }

  /** Returns how much of the request goes on to the server. */
  private int harmRequest(Injection injection, int length) {
    if (!injection.fault().isOnRequest()) {
      onReply.set(injection);
      return length;
    }
    proxy.hit(injection);
    return switch (injection.fault()) {
      case REQUEST_LOST -> 0;
      case REQUEST_TORN -> length / 2;
      default -> {
        injection.keepBack();
        yield length;
      }
    };
  }

  void pumpReplies() {
    byte[] buffer = new byte[BUFFER];
    try {
      InputStream in = server.getInputStream();
      OutputStream out = client.getOutputStream();
      for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
        proxy.replied();
        proxy.toClient().pass();
        Injection injection = onReply.getAndSet(null);
        if (injection != null) {
          proxy.hit(injection);
        }
        reply(out, buffer, length, injection);
      }
    } catch (IOException e) {
      // One side is gone; the other one is told below.
    }
    if (!deaf) {
      end();
    }
  }

  /** Passes an orderly end on: what was sent before it arrives. */
  private void end() {
    close(client);
    close(server);
    proxy.ended(this);
  }

  private void reply(OutputStream out, byte[] buffer, int length, @Nullable Injection injection)
      throws IOException {
    MessageFault fault = injection == null ? null : injection.fault();
    if (fault == MessageFault.REPLY_SWALLOWED) {
      deaf = true;
    }
    if (deaf) {
      return;
    }
    if (fault == MessageFault.REPLY_LOST) {
      cut();
      return;
    }
    int done = 0;
    if (fault == MessageFault.REPLY_FRAGMENTED) {
      for (; done < Math.min(length, FRAGMENTS); done++) {
        out.write(buffer[done]);
        out.flush();
        sleep(Duration.ofMillis(1));
      }
    } else if (injection != null) {
      sleep(injection.delay());
    }
    out.write(buffer, done, length - done);
    out.flush();
  }

  private static void sleep(Duration time) {
    long end = System.nanoTime() + time.toNanos();
    for (long left = time.toNanos(); left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }

  private static void reset(Socket socket) {
    try {
      socket.setSoLinger(true, 0);
    } catch (IOException e) {
      // It is closed already.
    }
    close(socket);
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // It is of no more use either way.
    }
  }
}
