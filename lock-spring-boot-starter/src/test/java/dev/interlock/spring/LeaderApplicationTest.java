package dev.interlock.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestRedis;
import jakarta.annotation.PreDestroy;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;

/** A leader within an application, from its start to its shutdown. */
@Timeout(60)
class LeaderApplicationTest {
  @Configuration(proxyBeanMethods = false)
  static class Application {
    @Bean
    LeaderElection election(LockClient locks) {
      return new LeaderElection(locks, "leader");
    }

    @Bean
    Listener listener() {
      return new Listener();
    }
  }

  static class Listener {
    private final BlockingQueue<Long> gained = new LinkedBlockingQueue<>();
    private final BlockingQueue<Long> lost = new LinkedBlockingQueue<>();

    @EventListener
    void on(LeadershipGained event) {
      assertThat(event.name()).isEqualTo("leader");
      gained.add(event.fencingToken());
    }

    @EventListener
    void on(LeadershipLost event) {
      assertThat(event.name()).isEqualTo("leader");
      lost.add(event.fencingToken());
    }
  }

  /** Takes its time to stop, on another thread, and is to be waited for. */
  static class Slow implements SmartLifecycle {
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final List<String> ends = new CopyOnWriteArrayList<>();
    private volatile boolean running;

    @Override
    public void start() {
      running = true;
    }

    @Override
    public void stop() {
      running = false;
    }

    @Override
    public void stop(Runnable callback) {
      Contexts.THREADS.execute(() -> {
        try {
          TimeUnit.MILLISECONDS.sleep(300);
        } catch (InterruptedException e) {
          ends.add("interrupted");
        }
        ends.add("stopped");
        running = false;
        callback.run();
      });
    }

    @Override
    public boolean isRunning() {
      return running;
    }

    @Override
    public int getPhase() {
      return 0;
    }

    @PreDestroy
    void destroy() {
      ends.add(Thread.currentThread().isInterrupted() ? "cut short" : "destroyed");
      stopped.countDown();
    }
  }

  /** Made before the client, so destroyed after it has given up the leader's lock. */
  static class Last {
    private final CompletableFuture<Boolean> interrupted = new CompletableFuture<>();

    @PreDestroy
    void destroy() {
      interrupted.complete(Thread.currentThread().isInterrupted());
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Closing {
    @Bean
    LeaderElection election(LockClient locks, Closer closer, @Value("${by}") String by) {
      return new LeaderElection(locks, LockRequest.of("leader"), lease -> {
        if (by.equals("callback")) {
          closer.close();
        }
      });
    }

    @Bean
    Closer closer(ConfigurableApplicationContext context) {
      return new Closer(context, new CountDownLatch(1));
    }
  }

  /** Closes the application once the test has what it needs of it. */
  record Closer(ConfigurableApplicationContext context, CountDownLatch mayClose) {
    @EventListener(condition = "@environment.getProperty('by') == 'listener'")
    void on(LeadershipGained event) throws InterruptedException {
      close();
    }

    void close() throws InterruptedException {
      mayClose.await();
      context.close();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"callback", "listener"})
  void a_leader_that_closes_its_own_application_does_not_cut_the_shutdown_short(String by)
      throws Exception {
    try (ConfigurableApplicationContext context =
        Contexts.local(List.of(Last.class, Closing.class, Slow.class), "by=" + by)) {
      Slow slow = context.getBean(Slow.class);
      Last last = context.getBean(Last.class);
      context.getBean(Closer.class).mayClose().countDown();
      assertThat(slow.stopped.await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(slow.ends).containsExactly("stopped", "destroyed");
      assertThat(last.interrupted.get(20, TimeUnit.SECONDS)).isFalse();
    }
  }

  @Test
  void an_application_leads_from_its_start_to_its_shutdown_on_redis() throws Exception {
    try (RedisServer server = TestRedis.start()) {
      ApplicationContextRunner runner = new ApplicationContextRunner()
          .withConfiguration(AutoConfigurations.of(InterlockAutoConfiguration.class))
          .withPropertyValues("interlock.uri=" + server.uri("redis-hash"))
          .withUserConfiguration(Application.class);
      Listener[] first = new Listener[1];
      Long[] token = new Long[1];
      runner.run(context -> {
        first[0] = context.getBean(Listener.class);
        token[0] = first[0].gained.poll(20, TimeUnit.SECONDS);
        assertThat(token[0]).isPositive();
        assertThat(context.getBean(LeaderElection.class).isLeader()).isTrue();
        assertThat(first[0].lost).isEmpty();
      });
      assertThat(first[0].lost).containsExactly(token[0]);
      runner.run(context -> {
        Listener second = context.getBean(Listener.class);
        assertThat(second.gained.poll(20, TimeUnit.SECONDS)).isGreaterThan(token[0]);
      });
    }
  }
}
