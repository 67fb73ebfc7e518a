package dev.interlock.redis.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.redis.support.contract.BackendContract;
import dev.interlock.redis.support.contract.FaultsContract;
import dev.interlock.redis.support.contract.TestClient;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestRedis;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Rights that are missing, or are taken away. */
class FaultsTest extends FaultsContract {
  /** The flags say it on Redis and Valkey; the number of queued commands stays at 0 on Valkey. */
  private static final String WITHIN_TRANSACTION = "flags=\\w*x";

  @Override
  protected String provider() {
    return RedisWatchProvider.ID;
  }

  @Override
  protected String notNeeded() {
    return "-@scripting";
  }

  @Override
  protected String needed() {
    return "-@transaction";
  }

  @Test
  void aRightThatIsTakenAwayLaterLeavesNoConnectionWithinATransaction() {
    try (RedisServer server =
            TestRedis.builder().user("u", "on", ">pw", "~*", "&*", "+@all").start();
        TestClient client = TestClient.deaf(as(server, "u"))) {
      HoldId held = client.id();
      client.acquire("n", held);
      for (String right : List.of("exec", "multi", "del", "getex", "watch")) {
        server.command("ACL", "SETUSER", "u", "-" + right);
        assertThatThrownBy(() -> client.release("n", held))
            .as(right)
            .hasMessageContaining("NOPERM");
        server.command("ACL", "SETUSER", "u", "+@all");
        assertThat(client.tryOnce("free-" + right, client.id())).isInstanceOf(Grant.class);
        assertThat(server.command("CLIENT", "LIST")).doesNotContainPattern(WITHIN_TRANSACTION);
        if (right.equals("multi")) {
          // Its commands ran one by one, which is an unknown outcome, not a refusal.
          client.acquire("n", held);
        }
      }
    }
  }

  @Test
  void M2_W3_aReleaseWithoutTheRightToTheChannelCostsOneConnection() {
    try (RedisServer server = TestRedis.builder()
            .owned()
            .user("u", "on", ">pw", "~*", "&*", "+@all")
            .start();
        TestClient client = TestClient.deaf(as(server, "u"))) {
      List<HoldId> held = List.of(client.id(), client.id(), client.id());
      for (HoldId id : held) {
        client.acquire("n" + id, id);
        client.tryPatiently("n" + id, client.id());
      }
      server.command("ACL", "SETUSER", "u", "resetchannels");
      long before = connections(server);
      for (HoldId id : held) {
        assertThat(client.release("n" + id, id)).isTrue();
      }
      // The call is refused on one each time, and this one counts itself.
      assertThat(connections(server) - before).isEqualTo(held.size() + 1);
    }
  }

  /** Each would cost all other locks their connections, too, since a fault closes the idle ones. */
  @Test
  void E9_aForeignKeyInPlaceOfTheWaitersCostsNoConnection() {
    try (RedisServer server = TestRedis.builder().owned().start();
        TestClient client =
            TestClient.deaf(TestClient.config(provider(), server).build())) {
      client.acquire("n", client.id());
      String waiting = BackendContract.key("n").replace(":lock:", ":wait:");
      server.command("SET", waiting, "no waiters");
      long before = connections(server);
      for (int i = 0; i < 3; i++) {
        assertThatThrownBy(() -> client.tryPatiently("n", client.id()))
            .hasMessageContaining("WRONGTYPE");
      }
      assertThat(connections(server) - before).as("with this one").isEqualTo(1);
      assertThat(client.tryOnce("free", client.id())).isInstanceOf(Grant.class);
      assertThat(server.command("CLIENT", "LIST")).doesNotContainPattern(WITHIN_TRANSACTION);
    }
  }

  private static long connections(RedisServer server) {
    return server
        .command("INFO", "stats")
        .lines()
        .filter(line -> line.startsWith("total_connections_received:"))
        .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(':') + 1).strip()))
        .findFirst()
        .orElseThrow();
  }
}
