package example.orders;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.interlock.Locks;
import dev.interlock.fencing.jdbc.StaleTokenException;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.core.simple.JdbcClient;
import redis.embedded.RedisServer;

/**
 * Two instances, with HTTP ports, on one database. The locks are where {@code -Dinterlock.uri}
 * says, else in a Redis of the test's own if its provider is on the class path, else in this JVM.
 */
@Timeout(60)
class OrdersApplicationTest {
  private static final Duration AT_LEAST = Duration.ofMillis(1500);

  private static RedisServer redis; // null if none was started
  private static String uri;

  private final HttpClient http = HttpClient.newHttpClient();
  private final String unique = "t" + UUID.randomUUID().toString().substring(0, 8);
  private ConfigurableApplicationContext first;
  private ConfigurableApplicationContext second;

  /** Prices that are slow to come, for one customer. */
  @Configuration(proxyBeanMethods = false)
  static class SlowPrices {
    static final int SLOW_ITEMS = 7;
    static final CountDownLatch ASKED = new CountDownLatch(1);
    static final CountDownLatch ANSWER = new CountDownLatch(1);

    @Bean
    @Primary
    Prices slowPrices() {
      return items -> {
        if (items == SLOW_ITEMS) {
          ASKED.countDown();
          try {
            ANSWER.await();
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
        }
        return items;
      };
    }
  }

  @BeforeAll
  static void findLocks() throws IOException {
    uri = System.getProperty("interlock.uri");
    String provider = Locks.providers().get(0).id();
    if (uri == null && provider.startsWith("redis")) {
      int port = freePort();
      redis = RedisServer.newRedisServer().bind("127.0.0.1").port(port).build();
      redis.start();
      uri = "%s://127.0.0.1:%d".formatted(provider, port);
    } else if (uri == null) {
      uri = "local://";
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  @AfterAll
  static void stopRedis() throws IOException {
    if (redis != null) {
      redis.stop();
    }
  }

  @BeforeEach
  void start() {
    first = instance("first");
    second = instance("second");
  }

  private ConfigurableApplicationContext instance(String name) {
    return new SpringApplicationBuilder(OrdersApplication.class, SlowPrices.class)
        .run(
            "--server.port=0",
            "--spring.main.banner-mode=off",
            "--logging.level.root=WARN",
            "--interlock.uri=" + uri,
            "--interlock.namespace=" + unique,
            "--spring.datasource.url=jdbc:h2:mem:%s;DB_CLOSE_DELAY=-1".formatted(unique),
            "--orders.instance=" + name,
            "--orders.lease=2s",
            "--orders.report.cron=*/2 * * * * *",
            "--orders.report.at-least=" + AT_LEAST);
  }

  @AfterEach
  void stop() {
    first.close();
    second.close();
  }

  private CompletableFuture<HttpResponse<String>> post(
      ConfigurableApplicationContext instance, String path) {
    String port = instance.getEnvironment().getProperty("local.server.port");
    return http.sendAsync(
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
            .POST(HttpRequest.BodyPublishers.noBody())
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void a_write_that_comes_after_its_lease_is_refused() throws Exception {
    OrderStore store = first.getBean(OrderStore.class);
    long id = store.create();
    String items = "/orders/%d/items?count=".formatted(id);

    var slow = post(first, items + SlowPrices.SLOW_ITEMS);
    assertThat(SlowPrices.ASKED.await(20, TimeUnit.SECONDS)).isTrue();
    var next = post(second, items + 5).get(20, TimeUnit.SECONDS);
    assertThat(next.statusCode()).as(next.body()).isEqualTo(200);
    SlowPrices.ANSWER.countDown();

    assertThat(slow.get(20, TimeUnit.SECONDS).statusCode()).isEqualTo(409);
    assertThat(slow.get().body()).contains("the write under lock 'order-%d'".formatted(id));
    assertThat(store.find(id)).isEqualTo(new Order(id, 5, 5));
  }

  @Test
  void the_database_takes_no_token_that_is_smaller_than_the_last() {
    OrderStore store = first.getBean(OrderStore.class);
    long id = store.create();
    store.save(new Order(id, 1, 10), 41);
    assertThatThrownBy(() -> store.save(new Order(id, 2, 20), 40))
        .isInstanceOf(StaleTokenException.class);
    store.save(new Order(id, 2, 20), 41);
    assertThat(store.find(id)).isEqualTo(new Order(id, 2, 20));
    store.save(new Order(id, 3, 30), 42);
    assertThat(store.find(id)).isEqualTo(new Order(id, 3, 30));
  }

  @Test
  void changes_of_one_order_at_the_same_time_are_all_there() throws Exception {
    long id = first.getBean(OrderStore.class).create();
    String one = "/orders/%d/items?count=1".formatted(id);
    var calls = List.of(post(first, one), post(second, one), post(first, one), post(second, one));
    for (var call : calls) {
      assertThat(call.get(20, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
    }
    assertThat(first.getBean(OrderStore.class).find(id).items()).isEqualTo(4);
  }

  private record Made(Instant at, String instance) {}

  private static List<Made> reports(ConfigurableApplicationContext instance) {
    return instance
        .getBean(JdbcClient.class)
        .sql("SELECT made_at, instance FROM reports ORDER BY made_at")
        .query((row, number) ->
            new Made(row.getObject(1, OffsetDateTime.class).toInstant(), row.getString(2)))
        .list();
  }

  /** Each instance alone would make one report in a period; both together must not make two. */
  @Test
  void the_report_is_made_once_in_a_period_and_goes_on_when_an_instance_has_gone() {
    await().atMost(Duration.ofSeconds(20)).until(() -> reports(first).size() >= 3);
    List<Made> ofBoth = reports(first);
    boolean firstWasLast = ofBoth.get(ofBoth.size() - 1).instance().equals("first");
    (firstWasLast ? first : second).close();
    ConfigurableApplicationContext left = firstWasLast ? second : first;
    await().atMost(Duration.ofSeconds(20)).until(() -> reports(left).size() >= ofBoth.size() + 2);

    List<Made> made = reports(left);
    for (int i = 1; i < made.size(); i++) {
      Duration apart = Duration.between(made.get(i - 1).at(), made.get(i).at());
      assertThat(apart).as("%s", made).isGreaterThan(AT_LEAST.dividedBy(2));
    }
    assertThat(made.get(made.size() - 1).instance()).isEqualTo(firstWasLast ? "second" : "first");
  }
}
