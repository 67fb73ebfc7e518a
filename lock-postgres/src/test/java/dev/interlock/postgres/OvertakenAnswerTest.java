package dev.interlock.postgres;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.CommonOptions;
import dev.interlock.LockConfig;
import dev.interlock.contract.TestClient;
import dev.interlock.postgres.internal.backend.PostgresBackend;
import dev.interlock.postgres.internal.grants.Waiters;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.ClientId;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.testservers.PostgresServer;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Another client grants the lock to an attempt before the attempt's answer is here. */
@Timeout(60)
class OvertakenAnswerTest {
  private static final Duration LONG = Duration.ofSeconds(30);

  private final PostgresServer server = Server.shared();
  private final String namespace = Server.freshNamespace();
  private final AtomicReference<CountDownLatch> answers =
      new AtomicReference<>(new CountDownLatch(0));

  @Test
  void w3_whoHasTheLockIsNotTakenForAWaiterOfItsClient() throws Exception {
    try (TestClient holder = Server.client(server.uri() + "?schema=create&namespace=" + namespace);
        TestClient late = lateClient()) {
      holder.attempt("z", holder.id(), Duration.ZERO);
      late.attempt("z", late.id(), LONG); // so that it listens
      Awaitility.await().until(() -> Server.isListening(late));
      HoldId held = holder.id();
      HoldId waiter = late.id();
      holder.attempt("a", held, Duration.ZERO);
      answers.set(new CountDownLatch(1));
      CompletableFuture<AttemptResult> attempt =
          CompletableFuture.supplyAsync(() -> late.attempt("a", waiter, LONG));
      Awaitility.await().until(() -> holder.backend.inspect("a").orElseThrow().waiters() == 1);

      holder.release("a", held);
      Grant grant = late.grants.poll(20, SECONDS);
      assertThat(grant).isNotNull().extracting(Grant::id).isEqualTo(waiter);
      assertThat(attempt).isNotDone();
      answers.get().countDown();

      assertThat(attempt.get(20, SECONDS)).isInstanceOf(AttemptResult.Queued.class);
      assertThat(waiters(late).count("a")).isZero();
    }
  }

  /** What it counts shows in nothing but the time that later attempts take. */
  private static Waiters waiters(TestClient client) throws ReflectiveOperationException {
    Field field = PostgresBackend.class.getDeclaredField("waiters");
    field.setAccessible(true);
    return (Waiters) field.get(client.backend);
  }

  /** A client whose statements on the lock are answered when the test says so. */
  private TestClient lateClient() {
    String id = Server.freshClientId();
    LockConfig config =
        LockConfig.builder("postgres").set(CommonOptions.NAMESPACE, namespace).build();
    DataSource pool = proxy(
        DataSource.class,
        (method, arguments) ->
            late(DriverManager.getConnection(server.jdbcUrl(), server.user(), server.password())));
    return new TestClient(id, PostgresBackend.over(pool, config, new ClientId(id, "test:1")));
  }

  private Connection late(Connection connection) {
    return proxy(Connection.class, (method, arguments) -> {
      Object result = invoke(connection, method, arguments);
      boolean attempts = method.getName().equals("prepareStatement")
          && ((String) arguments[0]).contains("operate(");
      return attempts ? late((PreparedStatement) result) : result;
    });
  }

  private PreparedStatement late(PreparedStatement statement) {
    return proxy(PreparedStatement.class, (method, arguments) -> {
      Object result = invoke(statement, method, arguments);
      if (method.getName().equals("execute")) {
        answers.get().await();
      }
      return result;
    });
  }

  private static Object invoke(Object target, java.lang.reflect.Method method, Object[] arguments)
      throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getTargetException();
    }
  }

  private interface Call {
    Object invoke(java.lang.reflect.Method method, Object[] arguments) throws Throwable;
  }

  private static <T> T proxy(Class<T> type, Call call) {
    return type.cast(Proxy.newProxyInstance(
        type.getClassLoader(),
        new Class<?>[] {type},
        (self, method, arguments) -> call.invoke(method, arguments)));
  }
}
