package dev.interlock.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.HoldInfo;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import dev.interlock.testservers.PostgresServer;
import dev.interlock.testservers.TestPostgres;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Those who wait return to the queue of the first member when that comes back as the last one. */
@Tag("thorough")
@Timeout(120)
class RestartedQueueTest {
  private static final int WAITERS = 4;
  private static final LockRequest REQUEST = LockRequest.of("a")
      .withLease(Duration.ofMinutes(1))
      .withWait(Duration.ofMinutes(1))
      .fair(true);

  private final List<LockClient> clients = new ArrayList<>();
  private List<PostgresServer> servers;

  @BeforeEach
  void start() {
    servers =
        Stream.generate(() -> TestPostgres.builder().owned().start()).limit(3).toList();
  }

  @AfterEach
  void stop() {
    clients.forEach(LockClient::close);
    servers.forEach(PostgresServer::close);
  }

  private LockClient open(String uri) {
    LockClient client = Locks.open(uri);
    clients.add(client);
    return client;
  }

  private String uri(int place) {
    return servers.get(place).uri() + "?schema=create";
  }

  @Test
  @DisplayName("D2: they keep their order, though meanwhile they stood in that of the next one")
  void returnsToFirstQueue() throws Exception {
    String quorum = ThreeRedis.quorum(IntStream.range(0, 3).mapToObj(this::uri).toList(), "");
    LockClient holder = open(quorum);
    Lease held = holder.acquire(REQUEST);
    List<Integer> order = new CopyOnWriteArrayList<>();
    List<CompletableFuture<Void>> waits = new ArrayList<>();
    for (int i = 0; i < WAITERS; i++) {
      int waiter = i;
      waits.add(open(quorum).acquireAsync(REQUEST).thenAccept(lease -> {
        order.add(waiter);
        lease.release();
      }));
      awaitWaiters(holder, waiter + 1);
    }

    servers.forEach(PostgresServer::kill);
    servers.get(1).start();
    servers.get(2).start();
    LockClient second = open(uri(1));
    awaitWaiters(second, WAITERS);
    servers.get(0).start();
    awaitWaiters(second, 0);
    held.release();

    CompletableFuture.allOf(waits.toArray(new CompletableFuture<?>[0])).get(60, TimeUnit.SECONDS);
    assertThat(order).containsExactly(0, 1, 2, 3);
  }

  private static void awaitWaiters(LockClient client, int count) throws InterruptedException {
    while (client.inspect("a").map(HoldInfo::waiters).orElse(0) != count) {
      TimeUnit.MILLISECONDS.sleep(10);
    }
  }
}
