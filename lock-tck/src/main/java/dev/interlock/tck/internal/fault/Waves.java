package dev.interlock.tck.internal.fault;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Keeps clients of several servers in step, and makes each of them the first at a server of its
 * own. What a client asks there goes on at once. What it asks the others is kept back until all
 * clients have asked those, too; then it goes on in one wave. One that had to go on alone, since
 * another did not come, waits for that one afterwards. So clients that do the same do it in the
 * same wave, however fast each of them is. Thread-safe.
 */
public final class Waves {
  /** For so long nothing comes before a wave: by then all clients wait for it. */
  private static final long QUIET = Duration.ofMillis(50).toNanos();

  /** For so long a request is kept back at most: no client waits for ever for an answer. */
  private static final long PATIENCE = Duration.ofMillis(400).toNanos();

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final int[] own;

  /** By clients and servers: whether something is kept back. */
  private final boolean[][] kept;

  /** By clients: since when something is kept back. */
  private final long[] since;

  /** By clients: in how many waves it has gone on. */
  private final int[] waves;

  private long lastEvent = System.nanoTime();
  private int full;
  private boolean lastFull;
  private boolean over;

  private Waves(int servers, int[] own) {
    this.own = own.clone();
    this.kept = new boolean[own.length][servers];
    this.since = new long[own.length];
    this.waves = new int[own.length];
  }

  /**
   * Begins.
   *
   * @param ways of each client, to each server
   * @param own which server is whose own
   */
  public static Waves between(List<List<FaultProxy>> ways, int... own) {
    Waves waves = new Waves(ways.get(0).size(), own);
    for (int client = 0; client < own.length; client++) {
      for (int server = 0; server < ways.get(client).size(); server++) {
        ways.get(client).get(server).join(waves, client, server);
      }
    }
    return waves;
  }

  /** Keeps a request back until the client's next wave, if it has to. */
  void pass(int client, int server) throws InterruptedException {
    lock.lock();
    try {
      lastEvent = System.nanoTime();
      if (server == own[client]) {
        return;
      }
      if (!isAnyKept(client)) {
        since[client] = lastEvent;
      }
      kept[client][server] = true;
      int next = waves[client] + 1;
      while (!over && waves[client] < next) {
        long left = goOn(client);
        if (left > 0) {
          var unused = changed.awaitNanos(left);
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /** Lets those go on whose time it is. Answers for how long this client waits, if it is not. */
  private long goOn(int client) {
    long now = System.nanoTime();
    int least = Arrays.stream(waves).min().orElse(0);
    boolean ready = isReady(least);
    long patience = since[client] + PATIENCE - now;
    long quiet = lastEvent + QUIET - now;
    if (ready && (quiet <= 0 || (patience <= 0 && waves[client] == least))) {
      lastFull = Arrays.stream(waves).allMatch(wave -> wave == least);
      full += lastFull ? 1 : 0;
      for (int each = 0; each < own.length; each++) {
        if (waves[each] == least) {
          release(each);
        }
      }
    } else if (patience <= 0) {
      lastFull = false;
      release(client);
    }
    return ready ? Math.min(quiet, patience) : patience;
  }

  private void release(int client) {
    waves[client]++;
    Arrays.fill(kept[client], false);
    changed.signalAll();
  }

  private boolean isAnyKept(int client) {
    for (boolean each : kept[client]) {
      if (each) {
        return true;
      }
    }
    return false;
  }

  /** Whether all clients that are in a wave have asked all servers. */
  private boolean isReady(int wave) {
    for (int client = 0; client < own.length; client++) {
      for (int server = 0; server < kept[client].length; server++) {
        if (waves[client] == wave && server != own[client] && !kept[client][server]) {
          return false;
        }
      }
    }
    return true;
  }

  /** A server has answered. */
  void answered() {
    lock.lock();
    try {
      lastEvent = System.nanoTime();
    } finally {
      lock.unlock();
    }
  }

  /** Returns how many waves there were in which all clients asked all servers. */
  public int full() {
    lock.lock();
    try {
      return full;
    } finally {
      lock.unlock();
    }
  }

  /** Tells whether the last wave was of this kind. */
  public boolean isInStep() {
    lock.lock();
    try {
      return lastFull;
    } finally {
      lock.unlock();
    }
  }

  /** Lets everything go on. */
  void end() {
    lock.lock();
    try {
      over = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
