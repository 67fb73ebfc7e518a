package dev.interlock.tck.internal.rules;

import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntFunction;

/** Acquires and releases many locks, on several threads: a durable store takes time to commit. */
final class ManyUses {
  static final int USERS = 8;

  private ManyUses() {}

  static void of(LockClient client, int count, IntFunction<LockRequest> requests) throws Exception {
    ExecutorService users = Executors.newFixedThreadPool(USERS, ManyUses::user);
    try {
      List<Callable<Integer>> parts = new ArrayList<>();
      for (int user = 0; user < USERS; user++) {
        int first = user;
        parts.add(() -> part(client, first, count, requests));
      }
      for (Future<Integer> part : users.invokeAll(parts)) {
        part.get();
      }
    } finally {
      users.shutdownNow();
    }
  }

  private static Thread user(Runnable work) {
    Thread thread = new Thread(work, "tck-rule-user");
    thread.setDaemon(true);
    return thread;
  }

  private static int part(
      LockClient client, int first, int count, IntFunction<LockRequest> requests)
      throws InterruptedException {
    int used = 0;
    for (int i = first; i < count; i += USERS) {
      Leases.drop(client.acquire(requests.apply(i)));
      used++;
    }
    return used;
  }
}
