package dev.interlock.bench;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.spring.Locked;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * JMH: what a call of a {@code @Locked} method costs beside acquire and release on the bare client,
 * in the same application, uncontended.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
public class LockedCallBenchmark {
  private static final String ARGUMENT = "4711";

  /**
   * Where the locks are: in the JVM, where nothing hides what the annotation costs, or in Redis.
   */
  @Param({"local", "redis-setnx"})
  public String provider = "";

  private @Nullable ConfigurableApplicationContext application;
  private @Nullable LockClient client;
  private @Nullable Orders orders;

  /**
   * Starts the application.
   *
   * @throws IOException if the server's address cannot be read
   */
  @Setup
  public void start() throws IOException {
    String address = provider.equals("local")
        ? "local://"
        : Files.readString(Path.of(System.getProperty(UncontendedBenchmark.SERVER_FILE, "")))
            .replaceFirst("^redis:", provider + ":");
    application = new SpringApplicationBuilder(Application.class)
        .web(WebApplicationType.NONE)
        .properties(Map.of("interlock.uri", address, "spring.main.banner-mode", "off"))
        .run();
    client = application.getBean(LockClient.class);
    orders = application.getBean(Orders.class);
  }

  /** Closes it. */
  @TearDown
  public void stop() {
    if (application != null) {
      application.close();
    }
  }

  /**
   * The bare client.
   *
   * @return what a method might
   * @throws InterruptedException if the run is interrupted
   */
  @Benchmark
  public long bareClient() throws InterruptedException {
    LockClient locks = client;
    if (locks == null) {
      return 0;
    }
    try (Lease lease = locks.acquire(LockRequest.of("order-4711"))) {
      return lease.fencingToken();
    }
  }

  /**
   * A method whose lock has a fixed name.
   *
   * @return what it returns
   */
  @Benchmark
  public int fixedName() {
    return orders == null ? 0 : orders.fixedName(ARGUMENT);
  }

  /**
   * A method with its argument in the lock's name.
   *
   * @return what it returns
   */
  @Benchmark
  public int argumentInName() {
    return orders == null ? 0 : orders.argumentInName(ARGUMENT);
  }

  /** The application. */
  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Application {
    @Bean
    Orders orders() {
      return new Orders();
    }
  }

  /** Its methods do nothing. */
  static class Orders {
    @Locked("order-4711")
    public int fixedName(String id) {
      return id.length();
    }

    @Locked("order-#{#p0}")
    public int argumentInName(String id) {
      return id.length();
    }
  }
}
