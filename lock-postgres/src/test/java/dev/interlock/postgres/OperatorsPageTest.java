package dev.interlock.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import dev.interlock.testservers.PostgresServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The SQL that operators find on the page. */
@Timeout(60)
class OperatorsPageTest {
  private static final Pattern BLOCK = Pattern.compile("(?ms)^```sql\\n(.*?)^```");

  private final PostgresServer server = Server.shared();

  @Test
  void theStatementsOfThePageShowWhoHoldsAndWhoWaits() throws Exception {
    // SchemaTest grants what the page says.
    List<String> statements = BLOCK
        .matcher(Files.readString(Path.of("../docs/postgres.md")))
        .results()
        .flatMap(block -> Stream.of(block.group(1).split(";\\s+")))
        .filter(statement -> !statement.startsWith("GRANT"))
        .toList();
    assertThat(statements).hasSize(6);

    String uri = Server.uri();
    String lock = uri.substring(uri.lastIndexOf('=') + 1) + ":page";
    try (LockClient one = Locks.open(uri);
        LockClient two = Locks.open(uri)) {
      Lease held = one.acquire(LockRequest.of("page").withOwner("holder"));
      Lease read = one.acquire(LockRequest.of("read").shared().withOwner("reader"));
      CompletableFuture<Lease> waits = two.acquireAsync(LockRequest.of("page").withOwner("waiter"));
      Awaitility.await().until(() -> one.inspect("page").orElseThrow().waiters() == 1);

      assertThat(lines(statements.get(0), "LISTEN interlock_")).isNotEmpty();
      assertThat(lines(statements.get(1), lock))
          .singleElement()
          .asString()
          .contains("holder", Long.toString(held.fencingToken()));
      assertThat(lines(statements.get(2), lock.replace(":page", ":read")))
          .singleElement()
          .asString()
          .contains("reader", Long.toString(read.fencingToken()));
      assertThat(lines(statements.get(3), lock)).singleElement().asString().contains("waiter");
      assertThat(lines(statements.get(4), "interlock_entry")).isNotEmpty();
      assertThat(lines(statements.get(5), "active")).isNotEmpty();
      held.release();
      waits.get(10, TimeUnit.SECONDS).release();
    }
  }

  /** Other tests have locks in the same tables. */
  private List<String> lines(String statement, String text) {
    return server.execute(statement).lines().filter(line -> line.contains(text)).toList();
  }
}
