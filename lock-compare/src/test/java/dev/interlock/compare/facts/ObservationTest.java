package dev.interlock.compare.facts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.interlock.compare.facts.ManyWaiters.Overtakes;
import dev.interlock.compare.peers.Peer;
import dev.interlock.compare.servers.Backend;
import dev.interlock.compare.servers.Subject;
import dev.interlock.tck.Effort;
import dev.interlock.testservers.NoTestServerException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is seen lies where it must for a lock that works. Times have no upper limit here. */
class ObservationTest {
  /** Of the lease, more is left, unless its renewal was very late. */
  private static final double SOON_MILLIS = 1_000;

  @Tag("thorough")
  @Test
  void a_lock_within_the_jvm_has_facts_or_reasons_and_no_failure() throws Exception {
    Map<Happening, Fact> facts = all("local");

    assertThat(facts).containsOnlyKeys(Happening.values());
    Map<String, Double> crowd = facts.get(Happening.MANY_WAITERS).figures();
    assertThat(crowd).containsEntry("overtakesFair", 0.0).containsEntry("attemptsFair", 0.0);
    assertThat(crowd).doesNotContainKey("commandsPerSectionFair");
    assertThat(facts.get(Happening.WAITER_INTERRUPTED).figures()).containsKey("millisUntilReturn");
    assertThat(facts.get(Happening.HOLDER_KILLED).words()).startsWith("n/a: ");
    assertThat(facts.get(Happening.CLIENT_CLOCK).figures())
        .as("validity ends by a clock that is set forward, and by none that is set back")
        .containsEntry("validForward", 0.0)
        .containsEntry("validBack", 1.0);
    assertThat(facts.get(Happening.SERVER_CLOCK).words()).startsWith("n/a: there is no server");
    assertThat(facts.get(Happening.RIGHTS).words()).isEqualTo("n/a: there is no server");
  }

  @Tag("thorough")
  @Test
  void a_lock_on_redis_has_the_facts_that_its_leases_its_queue_and_its_tokens_promise()
      throws Exception {
    Map<Happening, Fact> facts = all("redis-hash");

    Map<String, Double> killed = facts.get(Happening.HOLDER_KILLED).figures();
    assertThat(killed.get("leases"))
        .as("a lease that is renewed every third of it has most of it left")
        .isGreaterThan(0.3);
    assertThat(killed.get("millisAfterLease")).as("nobody comes before its end").isGreaterThan(-5);
    Map<String, Double> paused = facts.get(Happening.HOLDER_PAUSED).figures();
    assertThat(paused).containsEntry("validOnWaking", 0.0).containsEntry("successorSpared", 1.0);
    assertThat(paused.get("successorAfterLeases")).isGreaterThan(0.3);
    assertThat(paused.get("millisUntilTold")).as("it is told").isNotNegative();
    Map<String, Double> lost = facts.get(Happening.REPLY_LOST).figures();
    assertThat(lost.get("heldMillisAfterAcquire")).isLessThan(3000);
    assertThat(lost.get("heldMillisAfterRelease")).isLessThan(3000);
    assertThat(facts.get(Happening.WAITER_INTERRUPTED).figures()).containsEntry("entriesLeft", 0.0);
    Map<String, Double> crowd = facts.get(Happening.MANY_WAITERS).figures();
    // A grant that a stalled machine does not take in time goes to the next one.
    assertThat(crowd.get("overtakesFair")).isLessThan(20);
    assertThat(crowd.get("attemptsFair")).as("not all are woken").isLessThan(20);
    assertThat(crowd.get("commandsPerSectionFair")).isBetween(1.0, 50.0);
    assertThat(facts.get(Happening.NAME_USED_ONCE).figures().get("entriesManyNames"))
        .isLessThan(300.0);
    assertThat(facts.get(Happening.IDLE).figures().get("commandsPerMinuteHeld"))
        .as("it is renewed every two seconds")
        .isBetween(30.0, 600.0);
    assertThat(facts.get(Happening.CLIENT_CLOCK).figures())
        .containsEntry("validForward", 0.0)
        .containsEntry("validBack", 1.0)
        .as("no wait ends before the release")
        .hasEntrySatisfying(
            "waiterHasItMillisForward", millis -> assertThat(millis).isNotNegative())
        .hasEntrySatisfying(
            "waiterHasItMillisBack", millis -> assertThat(millis).isNotNegative());
    assertThat(facts.get(Happening.SERVER_CLOCK).words()).startsWith("n/a: the server asks");
    if (facts.get(Happening.RIGHTS).figures().isEmpty()) {
      assertThat(facts.get(Happening.RIGHTS).words()).isEqualTo("n/a: the server is not ours");
    } else {
      assertThat(facts.get(Happening.RIGHTS).words())
          .contains(
              "EVAL, EVALSHA", "on keys {NAMESPACE:* and channels NAMESPACE:", Rights.DOES_ALL)
          .as("and what it does without one of them")
          .contains(" Without ");
      assertThat(facts.get(Happening.RIGHTS).figures())
          .containsEntry("enough", 1.0)
          .containsEntry("narrow", 1.0);
    }
    if (facts.get(Happening.STATE_LOST).figures().isEmpty()) {
      assertThat(facts.get(Happening.SERVER_KILLED).words())
          .isEqualTo("n/a: the server is not ours");
      assertThat(facts.get(Happening.FAIL_OVER).words()).isEqualTo("n/a: the server is not ours");
      return;
    }
    assertThat(facts.get(Happening.STATE_LOST).figures())
        .containsEntry("tokensGrow", 1.0)
        .containsKey("holderToldMillis");
    assertThat(facts.get(Happening.SERVER_KILLED).figures())
        .as("nothing is kept on disk")
        .containsEntry("lockIsThere", 0.0)
        .containsEntry("tokensGrow", 1.0);
    assertThat(facts.get(Happening.FAIL_OVER).figures())
        .as("a replica has what it has received, and no more")
        .containsEntry("lockIsThereReplicated", 1.0)
        .containsEntry("lockIsThereBehind", 0.0)
        .as("which is not granted where replicas are waited for")
        .containsEntry("grantedWithoutReplica", 0.0)
        .containsEntry("tokensGrowReplicated", 1.0)
        .containsEntry("tokensGrowBehind", 1.0);
    assertGrantedAgain(facts.get(Happening.FAIL_OVER).figures());
  }

  @Tag("thorough")
  @Test
  void a_server_whose_clock_is_set_forward_gives_the_lock_to_the_next_one_early() throws Exception {
    Map<String, Double> figures;
    try (Backend backend = start("postgres")) {
      if (backend.admin().database().isEmpty()) {
        return;
      }
      ServerClock observation = new ServerClock();
      figures = observe(observation, backend).figures();
      assertThat(backend
              .admin()
              .database()
              .get()
              .execute("SELECT PG_GET_FUNCTIONDEF(oid) FROM pg_proc WHERE proname = '"
                  + backend.names() + "now'"))
          .as("and it can be looked at once more")
          .contains(ServerClock.TIME);
    }

    assertThat(figures).containsEntry("tokensGrow", 1.0).containsKey("twoHoldersMillisForward");
    assertThat(figures.get("otherHasItMillisForward")).isNotNegative();
    assertThat(figures.get("millisUntilToldForward")).as("the holder is told").isNotNegative();
  }

  @Tag("thorough")
  @ParameterizedTest
  @ValueSource(strings = {"mysql", "postgres"})
  void a_standby_has_what_it_has_received_and_no_more(String provider) throws Exception {
    Map<String, Double> figures = failOver(provider);
    if (figures.get("overtakesReplicated") > 0) {
      // A grant that a stalled machine does not take within 2 s goes to the next one.
      figures = failOver(provider);
      assumeThat(figures).as("the machine stalls").containsEntry("overtakesReplicated", 0.0);
    }

    assertThat(figures)
        .containsEntry("lockIsThereReplicated", 1.0)
        .containsEntry("grantedTwiceReplicated", 0.0)
        .as("the queue is there as well")
        .containsEntry("overtakesReplicated", 0.0)
        .containsEntry("lockIsThereBehind", 0.0)
        .as("which is not granted where the standby is waited for")
        .containsEntry("grantedWithoutReplica", 0.0)
        .containsEntry("tokensGrowReplicated", 1.0)
        .containsEntry("tokensGrowBehind", 1.0);
    assertGrantedAgain(figures);
    assertThat(figures.get("holderToldMillisBehind")).as("the holder is told").isNotNegative();
  }

  /** It is looked up on the server: who took it to find out would wake the waiters. */
  @Tag("thorough")
  @Test
  void a_peers_lock_that_is_gone_with_its_server_is_found_so_and_nobody_is_woken()
      throws Exception {
    Map<String, Double> figures = serverKilled("redisson-fenced");

    assertThat(figures)
        .containsEntry("lockIsThere", 0.0)
        .as("its counter begins anew")
        .containsEntry("tokensGrow", 0.0);
    assertThat(figures.get("waiterHasItMillis"))
        .as("nobody tells the waiters")
        .isGreaterThan(SOON_MILLIS);
  }

  @Tag("thorough")
  @Test
  void a_peers_lock_that_its_database_keeps_is_found_there() throws Exception {
    assertThat(serverKilled("spring-jdbc")).containsEntry("lockIsThere", 1.0);
  }

  private static Map<String, Double> serverKilled(String peer) throws Exception {
    try (Backend backend = Peer.find(peer).orElseThrow().start()) {
      Fact fact = observe(new ServerKilled(), backend);
      assumeFalse(fact.words().startsWith("n/a: "), fact.words());
      return fact.figures();
    } catch (NoTestServerException e) {
      return abort(e.getMessage());
    }
  }

  private static Map<String, Double> failOver(String provider) throws Exception {
    try (Backend backend = start(provider)) {
      Fact fact = observe(new FailOver(), backend);
      assumeFalse(fact.words().startsWith("n/a: "), fact.words());
      return fact.figures();
    }
  }

  /** What is not there is granted to the next one, within the lease unless the machine stalls. */
  private static void assertGrantedAgain(Map<String, Double> figures) {
    double millis = figures.get("nextHasItMillisBehind");
    assertThat(millis).as("the next one has it").isNotNegative();
    if (millis < SOON_MILLIS) {
      assertThat(figures).containsEntry("grantedTwiceBehind", 1.0);
    }
  }

  @Test
  void overtakes_are_counted_from_the_order_of_the_tokens() {
    assertThat(ManyWaiters.overtakes(List.of(1L, 2L, 5L))).isEqualTo(new Overtakes(0, 0));
    assertThat(ManyWaiters.overtakes(List.of(4L, 1L, 2L, 3L))).isEqualTo(new Overtakes(3, 3));
    assertThat(ManyWaiters.overtakes(List.of(2L, 1L, 4L, 3L))).isEqualTo(new Overtakes(2, 1));
  }

  private static Map<Happening, Fact> all(String provider) throws Exception {
    Map<Happening, Fact> facts = new EnumMap<>(Happening.class);
    try (Backend backend = start(provider)) {
      for (Observation observation : Observation.ALL) {
        facts.put(observation.happening(), observe(observation, backend));
      }
    }
    return facts;
  }

  private static Backend start(String provider) {
    try {
      return Subject.find(provider).orElseThrow().start();
    } catch (NoTestServerException e) {
      return provider.startsWith("redis-") ? fail(e.getMessage(), e) : abort(e.getMessage());
    }
  }

  private static Fact observe(Observation observation, Backend backend) throws Exception {
    try {
      return Observation.observeOrRepeat(observation, backend, Effort.QUICK);
    } catch (TooLateException e) {
      return abort(e.getMessage());
    }
  }
}
