package dev.interlock.contract;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.interlock.BackendUnavailableException;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockException;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import dev.interlock.OutcomeUnknownException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;

/**
 * A JVM that is there to be killed. Reads a URI, says that its client is open, reads what to hold,
 * holds it until it is killed, and says until when at the least. Ends with its parent.
 */
final class KilledHolderMain {
  static final String SEMAPHORE = "killed-permits";
  static final String READ_WRITE = "killed-readers";
  static final int SIZE = 6;

  private static final Optional<ProcessHandle> PARENT = ProcessHandle.current().parent();

  private KilledHolderMain() {}

  public static void main(String[] args) throws Exception {
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    String uri = in.readLine();
    LockClient client = open(uri);
    System.out.println("open");
    KilledHolder.Part part = KilledHolder.Part.parse(in.readLine());
    List<Lease> held = new ArrayList<>();
    if (part.permits() > 0) {
      LockRequest some = LockRequest.of(SEMAPHORE).permits(part.permits(), SIZE);
      held.add(untilAnswered(() -> client.acquire(some)));
    }
    if (part.reads()) {
      held.add(untilAnswered(() -> client.acquire(LockRequest.of(READ_WRITE).shared())));
    }
    long until = held.stream()
        .mapToLong(lease -> System.nanoTime() + lease.remaining().toNanos())
        .min()
        .orElseThrow();
    if (part.busy()) {
      daemon(() -> takeAndGive(client, LockRequest.of(SEMAPHORE).permits(1, SIZE)));
      daemon(() -> takeAndGive(client, LockRequest.of(READ_WRITE).shared()));
    }
    System.out.println(until);
    endWithParent(in);
  }

  static LockClient open(String uri) throws Exception {
    return untilAnswered(() -> Locks.open(uri));
  }

  /** A machine with many JVMs on it may be late. The server may also be gone with the parent. */
  private static <T> T untilAnswered(Callable<T> call) throws Exception {
    while (PARENT.map(ProcessHandle::isAlive).orElse(false)) {
      try {
        return call.call();
      } catch (BackendUnavailableException | OutcomeUnknownException e) {
        Thread.sleep(100);
      }
    }
    throw new IllegalStateException("the parent has ended");
  }

  /** So that the kill comes at any point of a request. */
  private static void takeAndGive(LockClient client, LockRequest request) {
    while (true) {
      try {
        client.tryAcquire(request).ifPresent(Lease::release);
      } catch (LockException e) {
        // Late, or lost.
      }
    }
  }

  private static void daemon(Runnable work) {
    Thread thread = new Thread(work, "busy");
    thread.setDaemon(true);
    thread.start();
  }

  private static void endWithParent(BufferedReader in) throws IOException {
    while (in.readLine() != null) {
      // Nothing more is asked of it.
    }
    Runtime.getRuntime().halt(0);
  }
}
