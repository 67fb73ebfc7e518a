package dev.interlock.redis.hash.internal.backend;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Reads a URI, a number of clients, and then the numbers of waiters; each of them waits for its
 * turn, reports {@code number token milliseconds}, and releases. Ends with its parent.
 */
final class WaitingMain {
  static final LockRequest REQUEST = LockRequest.of("n").fair(true);
  static final String READY = "ready";

  private WaitingMain() {}

  public static void main(String[] args) throws IOException {
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    String uri = in.readLine();
    List<LockClient> clients = new ArrayList<>();
    int count = Integer.parseInt(in.readLine());
    for (int i = 0; i < count; i++) {
      clients.add(Locks.open(uri));
    }
    System.out.println(READY);
    List<CompletableFuture<Void>> turns = new ArrayList<>();
    for (String number = in.readLine(); number != null; number = in.readLine()) {
      String mine = number;
      turns.add(clients.get(turns.size() % count).acquireAsync(REQUEST).thenAccept(lease -> {
        System.out.println(mine + " " + lease.fencingToken() + " " + System.currentTimeMillis());
        lease.release();
      }));
    }
    System.exit(0);
  }
}
