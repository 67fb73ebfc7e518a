package dev.interlock.compare.figures;

import dev.interlock.Capability;
import dev.interlock.LockClient;
import dev.interlock.LockException;
import dev.interlock.LockRequest;
import dev.interlock.compare.cli.Errors;
import dev.interlock.compare.peers.Clients;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** The main class of a JVM that takes a lock, renews it, and is killed. */
public final class HolderMain {
  /** Said once it holds. */
  public static final String HELD = "held";

  private HolderMain() {}

  public static void main(String[] args) throws IOException, InterruptedException {
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    String uri = in.readLine();
    String name = in.readLine();
    Duration lease = Duration.parse(in.readLine());
    try (LockClient client = Clients.open(uri)) {
      LockRequest request = LockRequest.of(name).withLease(lease).withWait(Duration.ofSeconds(20));
      client.acquire(
          client.capabilities().contains(Capability.RENEWABLE) ? request.renewing() : request);
      System.out.println(HELD);
      // Ends with its parent, if nobody kills it before.
      in.readLine();
    } catch (LockException e) {
      System.out.println(Errors.describe(e).replace('\n', ' '));
    }
  }
}
