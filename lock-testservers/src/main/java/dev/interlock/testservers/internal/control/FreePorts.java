package dev.interlock.testservers.internal.control;

import dev.interlock.testservers.TestServerException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.IntFunction;

/**
 * Finds ports for servers.
 *
 * <p>The range lies below the ports from which systems serve outgoing connections. A port of that
 * other range could be taken by any client while its server is down for a restart, even by a client
 * that tries to reconnect to that very port and so connects to itself. Adding 10,000, as a Redis
 * Cluster does for its bus, leads out of this range and stays below the other one.
 */
public final class FreePorts {
  private static final int FIRST = 12_000;
  private static final int COUNT = 10_000;
  private static final int BUS = 10_000;
  private static final int TRIES = 3;
  private static final Set<Integer> GIVEN_OUT = ConcurrentHashMap.newKeySet();

  private FreePorts() {}

  /**
   * Starts a server on a free port, and on another one if a process takes that port first.
   *
   * @param start starts it on a port; what it throws has the server's log in its message
   */
  public static <S> S startOnNext(IntFunction<S> start) {
    for (int tries = 1; ; tries++) {
      try {
        return start.apply(next());
      } catch (TestServerException e) {
        if (tries == TRIES || !String.valueOf(e.getMessage()).contains("Address already in use")) {
          throw e;
        }
      }
    }
  }

  /** A port that nothing listens on and that this JVM was not given before. */
  public static int next() {
    for (int tries = 0; tries < COUNT; tries++) {
      int port = FIRST + ThreadLocalRandom.current().nextInt(COUNT);
      if (isFree(port) && GIVEN_OUT.add(port)) {
        return port;
      }
    }
    throw new TestServerException(
        "No free port between " + FIRST + " and " + (FIRST + COUNT - 1) + " was found.");
  }

  /** The same, and 10,000 more is free as well: for the bus of a cluster's node. */
  public static int nextWithBus() {
    int port = next();
    while (!isFree(port + BUS)) {
      port = next();
    }
    return port;
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      return socket.isBound();
    } catch (IOException inUse) {
      return false;
    }
  }
}
