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
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * A JVM that is there to be killed. Reads a URI, says that its client is open, reads what to hold,
 * holds it until it is killed, and says until when at the least. Ends when its input does, whatever
 * it is waiting for then: so it never outlives its parent.
 */
final class KilledHolderMain {
  static final String SEMAPHORE = "killed-permits";
  static final String READ_WRITE = "killed-readers";
  static final int SIZE = 6;

  /** A machine with many JVMs on it may be late; a server that is gone stays so. */
  private static final Duration LATE = Duration.ofMinutes(2);

  private KilledHolderMain() {}

  public static void main(String[] args) throws Exception {
    BlockingQueue<String> orders = new LinkedBlockingQueue<>();
    Thread reader = new Thread(() -> read(orders), "orders");
    reader.setDaemon(true);
    reader.start();
    LockClient client = open(orders.take());
    System.out.println("open");
    KilledHolder.Part part = KilledHolder.Part.parse(orders.take());
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
    reader.join();
  }

  private static void read(BlockingQueue<String> orders) {
    try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        orders.add(line);
      }
    } catch (IOException e) {
      // As good as the end.
    } finally {
      Runtime.getRuntime().halt(0);
    }
  }

  static LockClient open(String uri) throws Exception {
    return untilAnswered(() -> Locks.open(uri));
  }

  private static <T> T untilAnswered(Callable<T> call) throws Exception {
    long start = System.nanoTime();
    while (true) {
      try {
        return call.call();
      } catch (BackendUnavailableException | OutcomeUnknownException e) {
        if (System.nanoTime() - start > LATE.toNanos()) {
          throw e;
        }
        Thread.sleep(100);
      }
    }
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
}
