package dev.interlock.mysql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import dev.interlock.testservers.MysqlServer;
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

  private final MysqlServer server = Server.shared();

  @Test
  void theStatementsOfThePageShowWhoHoldsAndWhoWaits() throws Exception {
    List<String> statements = BLOCK
        .matcher(Files.readString(Path.of("../docs/mysql.md")))
        .results()
        .flatMap(block -> Stream.of(block.group(1).split(";\\s+")))
        .toList();
    assertThat(statements).hasSize(2);

    String uri = Server.uri();
    String lock = uri.substring(uri.lastIndexOf('=') + 1) + ":page";
    try (LockClient one = Locks.open(uri);
        LockClient two = Locks.open(uri)) {
      Lease held = one.acquire(LockRequest.of("page").withOwner("holder"));
      Lease read = one.acquire(LockRequest.of("page-read").shared().withOwner("reader"));
      Lease permits = one.acquire(LockRequest.of("page-permits").permits(2, 4).withOwner("two"));
      CompletableFuture<Lease> waits = two.acquireAsync(LockRequest.of("page").withOwner("waiter"));
      Awaitility.await().until(() -> one.inspect("page").orElseThrow().waiters() == 1);

      assertThat(lines(statements.get(0), lock + "\t"))
          .singleElement()
          .asString()
          .contains("holder", held.fencingToken() + "\t1\t1\t20");
      assertThat(lines(statements.get(0), lock + "-read\t"))
          .singleElement()
          .asString()
          .contains("reader", read.fencingToken() + "\t1\t" + Integer.MAX_VALUE + "\t20");
      assertThat(lines(statements.get(0), lock + "-permits\t"))
          .singleElement()
          .asString()
          .contains("two", permits.fencingToken() + "\t2\t4\t20");
      assertThat(lines(statements.get(1), lock + "\t"))
          .singleElement()
          .asString()
          .contains("waiter")
          .matches(".*\\t\\d+"); // the session that listens
      held.release();
      waits.get(10, TimeUnit.SECONDS).release();
    }
  }

  /** Other tests have locks in the same tables. */
  private List<String> lines(String statement, String lock) {
    return server
        .execute(statement)
        .lines()
        .filter(line -> line.startsWith(lock))
        .toList();
  }
}
