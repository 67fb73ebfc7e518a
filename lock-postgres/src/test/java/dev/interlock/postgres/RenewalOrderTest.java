package dev.interlock.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.LockConfig;
import dev.interlock.contract.TestClient;
import dev.interlock.postgres.internal.backend.PostgresBackend;
import dev.interlock.spi.ClientId;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalResult;
import dev.interlock.testservers.PostgresServer;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Renewals find that a holder has died, and another client has the lock since. */
@Timeout(60)
class RenewalOrderTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final PostgresServer server = Server.shared();
  private final String namespace = Server.freshNamespace();
  private final CountDownLatch told = new CountDownLatch(1);

  @Test
  void n8_allHaveTheirAnswersBeforeAnotherClientIsTold() throws Exception {
    LockConfig config = LockConfig.builder("postgres")
        .set(dev.interlock.CommonOptions.NAMESPACE, namespace)
        .build();
    String id = Server.freshClientId();
    String uri = server.uri() + "?schema=create&namespace=" + namespace;
    try (TestClient holder = Server.client(uri);
        TestClient other = Server.client(uri);
        TestClient client = new TestClient(
            id, PostgresBackend.over(slowToTell(), config, new ClientId(id, "test:1")))) {
      List<Renewal> batch = new ArrayList<>();
      for (String name : List.of("a", "b")) {
        holder.attempt(name, holder.id(), Duration.ZERO);
        other.attempt(name, other.id(), PATIENCE);
        var waiter = client.id();
        client.attempt(name, waiter, PATIENCE);
        batch.add(Renewal.of(name, waiter, TestClient.LEASE, true));
      }
      server.execute(
          "UPDATE interlock_lock SET until_us = 1 WHERE client = " + holder.id().high());
      Map<String, RenewalResult> answers = new ConcurrentHashMap<>();
      CompletableFuture<Void> renewal = CompletableFuture.runAsync(
          () ->
              client.backend.renew(batch, (renewed, result) -> answers.put(renewed.name(), result)),
          task -> new Thread(task).start());
      Awaitility.await().until(() -> answers.size() == 2);
      assertThat(renewal).isNotDone();
      told.countDown();
      renewal.get(10, TimeUnit.SECONDS);
    } finally {
      told.countDown();
    }
  }

  private DataSource slowToTell() {
    return (DataSource) Proxy.newProxyInstance(
        DataSource.class.getClassLoader(), new Class<?>[] {DataSource.class}, (pool, get, none) -> {
          Connection connection =
              DriverManager.getConnection(server.jdbcUrl(), server.user(), server.password());
          return Proxy.newProxyInstance(
              Connection.class.getClassLoader(),
              new Class<?>[] {Connection.class},
              (self, method, values) -> {
                if (method.getName().equals("prepareStatement")
                    && values[0].toString().contains("PG_NOTIFY")) {
                  told.await();
                }
                try {
                  return switch (method.getName()) {
                    case "hashCode" -> System.identityHashCode(self);
                    case "equals" -> self == values[0];
                    default -> method.invoke(connection, values);
                  };
                } catch (InvocationTargetException e) {
                  throw e.getTargetException();
                }
              });
        });
  }
}
