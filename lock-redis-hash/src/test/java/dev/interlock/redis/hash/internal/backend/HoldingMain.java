package dev.interlock.redis.hash.internal.backend;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.time.Duration;

/**
 * Reads a URI and a number of permits of four, holds as many of them with a lease that is renewed,
 * one as a reader, and reports that. Ends with its parent.
 */
final class HoldingMain {
  static final Duration LEASE = Duration.ofSeconds(4);

  private HoldingMain() {}

  public static void main(String[] args) throws IOException, InterruptedException {
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    LockClient client = Locks.open(in.readLine());
    int permits = Integer.parseInt(in.readLine());
    LockRequest request = LockRequest.of("k").withLease(LEASE).renewing();
    Lease lease = client.acquire(permits == 1 ? request.shared() : request.permits(permits, 4));
    System.out.println(lease.fencingToken());
    if (in.readLine() == null) {
      System.exit(0);
    }
  }
}
