package dev.interlock.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.tck.RuleResult;
import dev.interlock.tck.TckBackend;
import dev.interlock.tck.TckMembers;
import dev.interlock.tck.TckRunner;
import dev.interlock.tck.Verdict;
import dev.interlock.testservers.RedisFaults;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The rules Q of the kit find quorums that break them. */
@Tag("thorough")
class BrokenQuorumTest {
  private static final int MEMBERS = 3;

  private ThreeRedis redis;

  @BeforeEach
  void start() {
    redis = new ThreeRedis();
  }

  @AfterEach
  void stop() {
    redis.close();
  }

  /** A server as a sound member. */
  private String sound(int place) {
    return redis.server(place).uri("redis-setnx") + "?timeout=PT1S";
  }

  private String lying(int place, String lie) {
    return redis.server(place).uri("lying") + "?lie=" + lie;
  }

  /** All members tell the same lie. */
  private TckBackend lying(String lie) {
    return quorum(2, "", lying(0, lie), lying(1, lie), lying(2, lie));
  }

  private TckBackend quorum(int promised, String options, String... uris) {
    return quorum(QuorumProvider.ID, promised, options, uris);
  }

  private TckBackend quorum(String provider, int promised, String options, String... uris) {
    TckMembers members = TckMembers.needing(
        promised,
        all -> ThreeRedis.quorum(all, "&longestLease=P365D" + options)
            .replaceFirst(QuorumProvider.ID, provider));
    for (int place = 0; place < MEMBERS; place++) {
      members = members.with(uris[place], RedisFaults.of(redis.server(place)));
    }
    return TckBackend.over(members).timeScale(2.0);
  }

  private static void expectFound(TckBackend broken, String rule, String... anyOf) {
    RuleResult result = run(broken, rule);
    String message = result.evidence().message();
    // Also if it failed each time while the machine stood still, which only says less.
    boolean failedTwice =
        result.verdict() == Verdict.INCONCLUSIVE && message.contains("it failed again");
    assertThat(result.verdict() == Verdict.FAIL || failedTwice)
        .as(result.toString())
        .isTrue();
    assertThat(message).containsAnyOf(anyOf);
  }

  private static RuleResult run(TckBackend backend, String rule) {
    return TckRunner.of(backend).only(Set.of(rule)).run().rule(rule).orElseThrow();
  }

  @Test
  @DisplayName("Q1: one that needs all members is no majority")
  void needsAll() {
    // With a member down, or with one that does not answer: which comes first is a matter of
    // chance.
    expectFound(
        quorum(2, "&need=all", sound(0), sound(1), sound(2)),
        "Q1",
        "by the others",
        "without a member the same client works again");
  }

  @Test
  @DisplayName("Q2: members that do not record the token of a hold are found")
  void recordsNoToken() {
    String lie = "records-no-token";
    TckBackend broken = quorum(2, "", sound(0), lying(1, lie), lying(2, lie));
    expectFound(broken, "Q2", "the token of a later hold is larger");
  }

  @Test
  @DisplayName("Q3: one that is content with fewer members than it promises is found")
  void needsLess() {
    expectFound(quorum(MEMBERS, "", sound(0), sound(1), sound(2)), "Q3", "no lock is granted");
  }

  @Test
  @DisplayName("Q4: a member that forgot in secret is found")
  void votesAlthoughItForgot() {
    expectFound(lying("forgets-in-secret"), "Q4", "another client got it");
  }

  @Test
  @DisplayName("Q4: a client that takes an empty member for its own beginning is found")
  void votesForWhomeverFindsItEmpty() {
    expectFound(lying("marks-apart"), "Q4", "another client got it");
  }

  @Test
  @DisplayName("Q5: members that begin for none if several clients mark them are found")
  void beginsWithOneMakerOnly() {
    expectFound(lying("ages-by-maker"), "Q5", "votes in");
  }

  @Test
  @DisplayName("Q5: members that begin for each client apart are found")
  void beginsForEachClient() {
    // What shows first, that holds overlap or that tokens do not grow, is a matter of chance.
    expectFound(lying("begins-apart"), "Q5", "when clients begin to use members at once");
  }

  @Test
  @DisplayName("Q4: is not claimed where every member keeps what it has answered")
  void noneMayForget() {
    RuleResult result = run(lying("declares-durable"), "Q4");
    assertThat(result.verdict()).as(result.toString()).isEqualTo(Verdict.NOT_CLAIMED);
    assertThat(result.evidence().message()).contains("all are DURABLE");
  }

  @Test
  @DisplayName("Q1: votes that were not heard and are not given back are found")
  void releasesOnlyGrants() {
    expectFound(lying("releases-only-grants"), "Q1", "is free on member");
  }

  @Test
  @DisplayName("L1: one whose leases count from the last answer is found")
  void countsFromTheLastAnswer() {
    TckBackend broken = quorum("late-quorum", 2, "", sound(0), sound(1), sound(2));
    // Which of the rule's checks meets it first is a matter of chance.
    expectFound(broken, "L1", "validUntil of the one before", "is valid for no longer than");
  }
}
