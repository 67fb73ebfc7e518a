package dev.interlock.measure.floor;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.measure.SectionLock;
import dev.interlock.measure.server.ServerAddress;
import dev.interlock.measure.server.ServerKind;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestRedis;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol.Command;

/** What a floor is measured with must be a lock, and no leak. */
@Timeout(300)
class RedisMajorityFloorTest {
  private static final int THREADS = 16;
  private static final int SECTIONS = 10;

  private static List<RedisServer> servers;

  /** Plain on purpose: only the lock keeps updates from being lost. */
  private long sections;

  @BeforeAll
  static void start() {
    servers =
        Stream.generate(() -> TestRedis.builder().owned().start()).limit(3).toList();
  }

  @AfterAll
  static void stop() {
    servers.forEach(RedisServer::close);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void oneOfManyThreadsHasTheLockAndAllIsReleased(int count) throws Exception {
    String name = "floor-test:" + count;
    Semaphore alone = new Semaphore(1);
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try (RedisMajorityFloor floor = new RedisMajorityFloor(addresses(count))) {
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        all.add(threads.submit(() -> {
          work(floor.lock(name), alone);
          return null;
        }));
      }
      for (Future<?> one : all) {
        one.get();
      }
      assertThat(sections).isEqualTo(THREADS * SECTIONS);
      for (RedisServer server : servers) {
        // What the majority did not wait for is still on its way.
        while (!server.command("EXISTS", name).equals("0")) {
          Thread.sleep(10);
        }
      }
    } finally {
      threads.shutdownNow();
    }
  }

  private void work(SectionLock lock, Semaphore alone) throws InterruptedException {
    for (int i = 0; i < SECTIONS; i++) {
      lock.lock();
      assertThat(alone.tryAcquire()).as("alone").isTrue();
      long before = sections;
      LockSupport.parkNanos(1_000);
      sections = before + 1;
      alone.release();
      lock.unlock();
    }
  }

  @Test
  void whatNobodyAsksForIsReadAllTheSame() {
    try (RedisMajorityFloor.RawConnection connection =
        new RedisMajorityFloor.RawConnection(addresses(1).get(0))) {
      for (int i = 0; i < 1_000; i++) {
        connection.send(new CommandArguments(Command.ECHO).add(i));
        assertThat(connection.unread()).isBetween(1, RedisMajorityFloor.RawConnection.MOST_UNREAD);
      }
      assertThat(connection.answer()).as("to the last one").isEqualTo("999".getBytes(UTF_8));
      assertThat(connection.unread()).isZero();
    }
  }

  private static List<ServerAddress> addresses(int count) {
    return servers.stream()
        .limit(count)
        .map(server -> ServerAddress.parse(ServerKind.REDIS, server.uri()))
        .toList();
  }
}
