package dev.interlock.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.interlock.HoldInfo;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import dev.interlock.spi.BackendContext;
import dev.interlock.spi.ClientId;
import dev.interlock.spi.HoldQuery;
import dev.interlock.spi.LockBackend;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;

/** Each command on a server of each provider. */
@Timeout(300)
class OperatorsTest {
  private static final Duration LEASE = Duration.ofMinutes(10);

  /** In the order in which they are listed. */
  private static final List<String> ODD_NAMES = List.of(
          " begins with a blank",
          "'\"`;--%_*?[a-z]\\",
          "-rf",
          "@file",
          "ends with a blank ",
          "line\nbreak\tand\u001b[2Jmore \u202e",
          "x".repeat(1024),
          "{tag}:lock:}:lock:x",
          "\u00e4\u20ac\ud83d\ude00\uffff\udbff\udfff")
      .stream()
      .sorted()
      .toList();

  /** The victims' warnings are many, and have the odd names in them. */
  private static final Logger VICTIMS = Logger.getLogger("dev.interlock");

  private static final Logger LIBRARIES = Logger.getLogger("com.zaxxer.hikari");

  @BeforeAll
  static void silence() {
    VICTIMS.setLevel(Level.SEVERE);
    LIBRARIES.setLevel(Level.WARNING);
  }

  @AfterAll
  static void stop() {
    VICTIMS.setLevel(null);
    LIBRARIES.setLevel(null);
    Store.stop();
  }

  @ParameterizedTest
  @EnumSource
  void odd_names_are_listed_inspected_and_forced(Store store) throws Exception {
    String namespace = store.namespace();
    String uri = store.uri(namespace);
    try (LockClient holder = Locks.open(uri)) {
      List<Lease> leases = hold(holder, ODD_NAMES);

      assertThat(names(Cli.run("ls", "--json", uri))).isEqualTo(ODD_NAMES);
      assertThat(Cli.run("ls", uri).out().lines().filter(line -> line.contains("owner\\u0007")))
          .hasSameSizeAs(ODD_NAMES);
      for (Lease lease : leases) {
        String name = lease.name();
        JsonNode hold = Cli.run("inspect", "--json", uri, "--", name).json();
        assertThat(hold.path("name").asString()).isEqualTo(name);
        assertThat(hold.path("owner").asString()).isEqualTo("owner\u0007");
        assertThat(hold.path("fencingToken").asLong()).isEqualTo(lease.fencingToken());
        assertThat(hold.path("remainingMillis").asLong()).isBetween(1L, LEASE.toMillis());

        assertThat(Cli.run("force", "--yes", uri, "--", name).status()).isZero();
      }
      assertThat(Cli.run("ls", uri).out()).contains("No lock is held.");
    }
  }

  @ParameterizedTest
  @EnumSource
  void more_names_than_fit_a_page_are_all_listed_and_nothing_of_others(Store store)
      throws Exception {
    String namespace = store.namespace();
    String uri = store.uri(namespace);
    List<String> names =
        IntStream.range(0, 60).mapToObj("orders-%02d"::formatted).toList();
    try (LockClient holder = Locks.open(uri);
        LockClient other = Locks.open(store.uri(namespace + "0"))) {
      store.addForeignData(namespace);
      hold(holder, names);
      hold(other, List.of("orders-other", "elsewhere"));
      hold(holder, List.of("released")).get(0).close();

      try (LockBackend backend = open(uri)) {
        HeldLocks held = HeldLocks.list(backend, "", 1_000, 7);
        assertThat(held.locks()).extracting(HoldInfo::name).isEqualTo(names);
        assertThat(held.more()).isFalse();
        assertThat(HeldLocks.list(backend, "", 20, 7).locks()).hasSize(20);
        assertThat(HeldLocks.list(backend, "", 20, 7).more()).isTrue();
        assertThat(backend.list(HoldQuery.of(7)).orElseThrow().next()).isPresent();
      }
      assertThat(names(Cli.run("ls", "--json", uri))).isEqualTo(names);
      assertThat(names(Cli.run("ls", "--json", uri, "orders-1"))).isEqualTo(names.subList(10, 20));
      assertThat(Cli.run("ls", uri, "orders-999").out()).contains("No lock is held whose name");
      JsonNode some = Cli.run("ls", "--json", "--limit", "59", uri).json();
      assertThat(some.path("locks").size()).isEqualTo(59);
      assertThat(some.path("more").asBoolean()).isTrue();
    }
  }

  /** On all providers with {@code -Dinterlock.test.held=all}. */
  @ParameterizedTest
  @EnumSource
  void ten_thousand_locks_are_all_listed(Store store) throws Exception {
    assumeTrue(
        store == Store.REDIS_HASH
            || Objects.equals(System.getProperty("interlock.test.held"), "all"),
        "takes too long for each build");
    String uri = store.uri(store.namespace());
    List<String> names =
        IntStream.range(0, 10_000).mapToObj("held-%05d"::formatted).toList();
    try (LockClient holder = Locks.open(uri)) {
      List<CompletableFuture<Lease>> leases = names.stream()
          .map(name -> holder.acquireAsync(LockRequest.of(name).withLease(LEASE)))
          .toList();
      for (CompletableFuture<Lease> lease : leases) {
        lease.get();
      }
      assertThat(names(Cli.run("ls", "--json", uri))).isEqualTo(names);
      assertThat(Cli.run("watch", "--count", "1", uri).out()).contains("10000 held, 0 waiting");
      assertThat(Cli.run("force", "--yes", uri, "held-05000").status()).isZero();
      assertThat(names(Cli.run("ls", "--json", uri))).hasSize(9_999).doesNotContain("held-05000");
    }
  }

  @ParameterizedTest
  @EnumSource
  void waiters_are_seen_and_served_by_force(Store store) throws Exception {
    String uri = store.uri(store.namespace());
    try (LockClient holder = Locks.open(uri);
        LockClient next = Locks.open(uri)) {
      long token = hold(holder, List.of("quiet", "busy")).get(1).fencingToken();
      CompletableFuture<Lease> waiter = next.acquireAsync(LockRequest.of("busy").withLease(LEASE));
      awaitWaiters(uri, 1);

      Cli.Outcome watched = Cli.run("watch", "--count", "2", uri);
      assertThat(watched.status()).isZero();
      assertThat(watched.out()).contains("2 held, 1 waiting");
      assertThat(watched.out().lines().filter(line -> line.contains("held"))).hasSize(2);
      assertThat(watched.out().indexOf("busy")).isLessThan(watched.out().indexOf("quiet"));
      assertThat(Cli.run("watch", "--count", "1", uri, "quiet").out())
          .contains("1 held, 0 waiting");
      assertThat(names(Cli.run("watch", "--json", "--count", "1", uri)))
          .containsExactly("busy", "quiet");

      assertThat(Cli.answering("no\n", "force", uri, "busy").status())
          .isEqualTo(Operators.NOT_HELD);
      assertThat(Cli.answering("", "force", uri, "busy").status()).isEqualTo(Operators.NOT_HELD);
      String wrong = Long.toString(token + 1_000);
      assertThat(Cli.run("force", "--yes", "--token", wrong, uri, "busy").status())
          .isEqualTo(Operators.NOT_HELD);
      assertThat(waiter).isNotDone();

      Cli.Outcome forced = Cli.answering("yes\n", "force", "--json", uri, "busy");
      assertThat(forced.status()).isZero();
      assertThat(forced.err()).contains("busy", "owner\\u0007", "Type yes");
      assertThat(forced.json().path("forced").asBoolean()).isTrue();
      assertThat(forced.json().path("lock").path("fencingToken").asLong()).isEqualTo(token);
      assertThat(waiter.get().fencingToken()).isGreaterThan(token);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"LOCAL", "REDIS_HASH", "MYSQL", "POSTGRES"})
  void those_who_wait_are_shown_in_their_order_and_only_the_first_of_many(Store store)
      throws Exception {
    String uri = store.uri(store.namespace());
    int more = 120;
    try (LockClient holder = Locks.open(uri);
        LockClient one = Locks.open(uri);
        LockClient two = Locks.open(uri)) {
      hold(holder, List.of("busy", "idle"));
      assertThat(Cli.run("inspect", uri, "idle").out()).doesNotContain("Waiting");
      assertThat(Cli.run("inspect", "--json", uri, "idle").json().path("queue").isEmpty())
          .isTrue();
      addWaiter(uri, one, fair("first\u0007"), 1);
      addWaiter(uri, two, fair("second"), 2);
      addWaiter(uri, one, fair("third"), 3);

      JsonNode queue = Cli.run("inspect", "--json", uri, "busy").json().path("queue");
      assertThat(texts(queue, "owner")).containsExactly("first\u0007", "second", "third");
      assertThat(texts(queue, "host"))
          .allMatch(host -> host.endsWith(":" + ProcessHandle.current().pid()));
      if (store != Store.REDIS_HASH) {
        assertThat(Instant.parse(queue.get(0).path("since").asString()))
            .isBefore(Instant.parse(queue.get(2).path("since").asString()));
      }
      for (String command : List.of("inspect", "watch --count 1")) {
        List<String> arguments = Stream.of(command.split(" "), new String[] {uri, "busy"})
            .flatMap(Stream::of)
            .toList();
        String shown = Cli.run(arguments.toArray(new String[0])).out();
        assertThat(shown)
            .containsSubsequence("Waiting", "PLACE", "first\\u0007", "second", "third");
      }
      JsonNode watched = Cli.run("watch", "--json", "--count", "1", uri, "busy").json();
      assertThat(watched.path("locks").get(0).path("queue").size()).isEqualTo(3);
      assertThat(Cli.run("ls", "--json", uri).json().path("locks").get(0).has("queue"))
          .isFalse();

      for (int i = 0; i < more; i++) {
        assertThat(two.acquireAsync(fair("waiter " + i))).isNotDone();
      }
      awaitWaiters(uri, 3 + more);
      queue = Cli.run("inspect", "--json", uri, "busy").json().path("queue");
      assertThat(texts(queue, "owner"))
          .hasSize(LockQueue.MOST)
          .startsWith("first\u0007", "second", "third");
      assertThat(Cli.run("inspect", uri, "busy").out())
          .contains("waiters  " + (3 + more), "Waiting, the first 100");
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"LOCAL", "REDIS_HASH", "MYSQL", "POSTGRES"})
  void what_those_who_wait_want_of_a_lock_is_shown(Store store) throws Exception {
    String uri = store.uri(store.namespace());
    try (LockClient holder = Locks.open(uri);
        LockClient waiter = Locks.open(uri)) {
      hold(holder, List.of("busy"));
      addWaiter(uri, waiter, LockRequest.of("busy").permits(2, 4).withOwner("some"), 1);
      addWaiter(uri, waiter, LockRequest.of("busy").shared().withOwner("reader"), 2);

      assertThat(Cli.run("inspect", uri, "busy").out().lines())
          .anyMatch(line -> line.contains("2 of 4") && line.contains("some"))
          .anyMatch(line -> line.contains("reads") && line.contains("reader"));
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"REDIS_SETNX", "REDIS_WATCH", "QUORUM"})
  void where_nobody_knows_who_waits_the_number_is_shown(Store store) throws Exception {
    String uri = store.uri(store.namespace());
    try (LockClient holder = Locks.open(uri);
        LockClient waiter = Locks.open(uri)) {
      hold(holder, List.of("busy"));
      addWaiter(uri, waiter, LockRequest.of("busy"), 1);

      assertThat(Cli.run("inspect", uri, "busy").out())
          .contains("waiters  1", "Who waits cannot be told here");
      assertThat(Cli.run("watch", "--count", "1", uri, "busy").out())
          .contains("1 waiting", "Who waits cannot be told here");
      assertThat(Cli.run("inspect", "--json", uri, "busy").json().has("queue")).isFalse();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"LOCAL", "REDIS_HASH", "MYSQL", "POSTGRES"})
  void those_who_hold_a_lock_together_are_all_shown_and_forced(Store store) throws Exception {
    String uri = store.uri(store.namespace());
    try (LockClient holder = Locks.open(uri)) {
      Lease one = holder.acquire(LockRequest.of("permits").permits(1, 4).withLease(LEASE));
      Lease two = holder.acquire(LockRequest.of("permits").permits(2, 4).withLease(LEASE));
      hold(holder, List.of("exclusive"));

      assertThat(Cli.run("ls", uri).out()).contains("1 of 4", "2 of 4", "2 held.");
      assertThat(Cli.run("inspect", uri, "permits").out())
          .contains("share    1 of 4", "Held together with", "2 of 4");
      JsonNode found = Cli.run("inspect", "--json", uri, "permits").json();
      assertThat(found.path("capacity").asInt()).isEqualTo(4);
      JsonNode other = found.path("others").get(0);
      assertThat(other.path("units").asInt()).isEqualTo(2);
      assertThat(other.path("fencingToken").asLong()).isEqualTo(two.fencingToken());

      String token = Long.toString(two.fencingToken());
      Cli.Outcome some = Cli.answering("yes\n", "force", "--token", token, uri, "permits");
      assertThat(some.status()).isZero();
      assertThat(some.err()).contains("1 of 4", "2 of 4").doesNotContain("Its token is not");
      JsonNode left = Cli.run("inspect", "--json", uri, "permits").json();
      assertThat(left.path("fencingToken").asLong()).isEqualTo(one.fencingToken());
      assertThat(left.path("others").isEmpty()).isTrue();
      assertThat(one.isValid()).isTrue();

      holder.acquire(LockRequest.of("permits").permits(3, 4).withLease(LEASE));
      assertThat(Cli.run("force", "--yes", uri, "permits").status()).isZero();
      assertThat(Cli.run("inspect", uri, "permits").out()).contains("is free");
    }
  }

  @ParameterizedTest
  @EnumSource(names = "REDIS_.*", mode = EnumSource.Mode.MATCH_ALL)
  void locks_whose_keys_others_use_are_listed_and_do_no_harm_to_the_rest(Store store)
      throws Exception {
    String namespace = store.namespace();
    String uri = store.uri(namespace);
    try (LockClient holder = Locks.open(uri)) {
      hold(holder, List.of("sound", "strange waiters"));
      store.occupy(namespace, "strange holder", "strange waiters");

      Cli.Outcome listed = Cli.run("ls", "--json", uri);
      assertThat(names(listed)).containsExactly("sound", "strange holder", "strange waiters");
      assertThat(listed.json().path("locks").get(1).path("owner").asString()).contains("unknown");
      assertThat(Cli.run("ls", uri).status()).isZero();
      assertThat(Cli.run("force", "--yes", uri, "strange holder").status()).isZero();
      assertThat(names(Cli.run("ls", "--json", uri))).containsExactly("sound", "strange waiters");
    }
  }

  /** It is the settings that do not fit, and a repetition does not help. */
  @ParameterizedTest
  @EnumSource(names = {"MYSQL", "POSTGRES"})
  void tables_that_are_missing_are_told_as_wrong_settings(Store store) {
    String uri = store.uri(store.namespace()).replace("schema=create", "tablePrefix=nosuch_");

    Cli.Outcome listed = Cli.run("ls", uri);

    assertThat(listed.status()).isEqualTo(2);
    assertThat(listed.err()).contains("The tables of lock-").contains("are not as they should be");
  }

  private static LockRequest fair(String owner) {
    return LockRequest.of("busy").fair(true).withOwner(owner).withLease(LEASE);
  }

  /** Lets one more wait for the lock "busy", and returns once the server knows that. */
  private static void addWaiter(String uri, LockClient client, LockRequest request, int waiters)
      throws InterruptedException {
    assertThat(client.acquireAsync(request)).isNotDone();
    awaitWaiters(uri, waiters);
  }

  private static void awaitWaiters(String uri, int waiters) throws InterruptedException {
    while (Cli.run("inspect", "--json", uri, "busy").json().path("waiters").asInt() < waiters) {
      Thread.sleep(20);
    }
  }

  private static List<String> texts(JsonNode queue, String field) {
    return StreamSupport.stream(queue.spliterator(), false)
        .map(waiter -> waiter.path(field).asString())
        .toList();
  }

  private static LockBackend open(String uri) {
    return BackendContext.of(new ClientId("0123456789abcdef", "operator")).open(uri);
  }

  private static List<Lease> hold(LockClient holder, List<String> names) {
    return names.stream()
        .map(name -> holder
            .tryAcquire(LockRequest.of(name).withOwner("owner\u0007").withLease(LEASE))
            .orElseThrow())
        .toList();
  }

  private static List<String> names(Cli.Outcome outcome) {
    return StreamSupport.stream(outcome.json().path("locks").spliterator(), false)
        .map(lock -> lock.path("name").asString())
        .toList();
  }
}
