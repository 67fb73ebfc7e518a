package dev.interlock.measure.peers;

import dev.interlock.measure.CountedClient;
import dev.interlock.measure.CountedScenario;
import dev.interlock.measure.SectionLock;
import dev.interlock.measure.server.ServerAddress;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.redisson.Redisson;
import org.redisson.api.RPermitExpirableSemaphore;
import org.redisson.api.RReadWriteLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** Redisson's locks that are held in parts, with its default settings. */
public final class RedissonCounted implements CountedClient {
  private static final long LEASE_SECONDS = 30;

  private final RedissonClient client;
  private final BiFunction<RedissonClient, String, List<SectionLock>> ways;

  private RedissonCounted(
      ServerAddress server, BiFunction<RedissonClient, String, List<SectionLock>> ways) {
    this.client = Redisson.create(RedissonLocks.at(server, new Config()));
    this.ways = ways;
  }

  /** What Redisson has for a scenario. */
  public static CountedClient of(ServerAddress server, CountedScenario scenario) {
    return scenario.isSemaphore() ? semaphore(server, scenario.capacity()) : readWrite(server);
  }

  /** {@code RReadWriteLock}: its lock for reading, then that for writing. */
  private static CountedClient readWrite(ServerAddress server) {
    return new RedissonCounted(server, (client, name) -> {
      RReadWriteLock lock = client.getReadWriteLock(name);
      return List.of(SectionLock.of(lock.readLock()), SectionLock.of(lock.writeLock()));
    });
  }

  /** {@code RPermitExpirableSemaphore}, whose permits have a lease and are not renewed. */
  private static CountedClient semaphore(ServerAddress server, int permits) {
    return new RedissonCounted(server, (client, name) -> {
      RPermitExpirableSemaphore semaphore = client.getPermitExpirableSemaphore(name);
      semaphore.trySetPermits(permits);
      return List.of(new Permit(semaphore));
    });
  }

  @Override
  public List<SectionLock> ways(String name) {
    return ways.apply(client, name);
  }

  @Override
  public void close() {
    client.shutdown();
  }

  private static final class Permit implements SectionLock {
    private final RPermitExpirableSemaphore semaphore;
    private @Nullable String held;

    Permit(RPermitExpirableSemaphore semaphore) {
      this.semaphore = semaphore;
    }

    @Override
    public void lock() throws InterruptedException {
      held = semaphore.acquire(LEASE_SECONDS, TimeUnit.SECONDS);
    }

    @Override
    public void unlock() {
      semaphore.release(Objects.requireNonNull(held));
    }
  }
}
