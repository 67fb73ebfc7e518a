package dev.interlock.postgres.internal.statements;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.postgres.Server;
import dev.interlock.postgres.internal.statements.LockMapper.Answer;
import dev.interlock.postgres.internal.statements.LockMapper.Place;
import dev.interlock.postgres.internal.statements.LockMapper.Step;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.HoldId;
import dev.interlock.sql.support.AttemptParameters;
import dev.interlock.sql.support.MapperFactory;
import dev.interlock.testservers.PostgresServer;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is asked of the server for one step: each statement is a round trip. */
@Timeout(60)
class CallsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final PostgresServer server = Server.shared();
  private final String name = Server.freshNamespace();
  private final List<String> asked = new ArrayList<>();
  private final Caller one = new Caller();
  private final Caller two = new Caller();
  private Connection connection;
  private LockMapper mapper;

  @BeforeEach
  void open() throws SQLException {
    Server.client(Server.uri()).close();
    connection = DriverManager.getConnection(server.jdbcUrl(), server.user(), server.password());
    LockMapper all = MapperFactory.of(LockMapper.class, Map.of("prefix", "interlock_"))
        .openSession(connection)
        .getMapper(LockMapper.class);
    mapper = (LockMapper) Proxy.newProxyInstance(
        LockMapper.class.getClassLoader(),
        new Class<?>[] {LockMapper.class},
        (proxy, method, args) -> {
          asked.add(method.getName());
          return method.invoke(all, args);
        });
  }

  @AfterEach
  void close() throws SQLException {
    connection.close();
  }

  @Test
  void aLockThatIsNewOrKnownToBeFreeCostsOneForEach() {
    one.acquires();
    one.releases();
    assertThat(asked).containsExactly("acquire", "giveBack");
    one.acquires();
    one.releases();
    assertThat(asked).endsWith("take", "giveBack");
  }

  @Test
  void soDoesOneThatWasHeldOnceItWasFreeForAWhile() {
    one.acquires();
    one.releases();
    two.acquires();
    one.finds(0, one.asks(Duration.ZERO));
    one.finds(0, one.asks(Duration.ZERO));
    two.releases();
    assertThat(asked)
        .endsWith("take", "acquire", "acquire", "giveBack")
        .filteredOn("take"::equals)
        .hasSize(1);
    for (int i = 0; i < 4; i++) {
      one.acquires();
      one.releases();
    }
    assertThat(asked).filteredOn("take"::equals).hasSize(1);
    one.acquires();
    one.releases();
    assertThat(asked).endsWith("take", "giveBack");
  }

  @Test
  void readersAndPermitsCostOneForEach() {
    for (int i = 0; i < 10; i++) {
      one.finds(Answer.HOLDS, one.asks(Duration.ZERO).withUnits(1, 5));
      one.releases();
      assertThat(asked).as("time " + i).containsExactly("enter", "release");
      asked.clear();
    }
  }

  @Test
  void aReleaseBeforeReadersOfAnotherClientIsSeldomTriedInVain() {
    for (int i = 0; i < 5; i++) {
      one.acquires();
      two.finds(Answer.WAITS, two.asks(PATIENCE).withUnits(1, 5));
      one.releases();
      two.releases();
    }
    assertThat(asked).filteredOn("giveBack"::equals).hasSize(1);
  }

  @Test
  void aFurtherHoldOfASharedOwnerIsSeldomTriedInVain() {
    one.finds(Answer.HOLDS, one.asks(Duration.ZERO).withSharedOwner(true));
    HoldId first = one.held;
    for (int i = 0; i < 5; i++) {
      one.finds(Answer.HOLDS, one.asks(Duration.ZERO).withSharedOwner(true));
      one.releases();
    }
    one.held = first;
    one.releases();
    assertThat(asked).filteredOn("giveBack"::equals).hasSizeLessThanOrEqualTo(2);
  }

  /** A client, which has one hold. */
  private final class Caller {
    private final long client = ThreadLocalRandom.current().nextLong();
    private final Calls calls = new Calls();
    private HoldId held = new HoldId(client, 0);
    private int ids;

    Attempt asks(Duration patience) {
      held = new HoldId(client, ++ids);
      return Attempt.of(name, held, "owner", Duration.ofMinutes(1)).withPatience(patience);
    }

    void acquires() {
      finds(Answer.HOLDS, asks(Duration.ZERO));
    }

    void finds(int state, Attempt attempt) {
      assertThat(run(new Step(List.of(), new AttemptParameters(attempt))).state).isEqualTo(state);
    }

    void releases() {
      assertThat(run(new Step(List.of(held), null)).held).isTrue();
    }

    private Answer run(Step step) {
      Place at = new Place(name.getBytes(UTF_8), client, "h".getBytes(UTF_8));
      return calls.run(mapper, name, at, List.of(step)).get(0);
    }
  }
}
