package dev.interlock.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.LockConfig;
import dev.interlock.quorum.internal.member.Members;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.BackendContext;
import dev.interlock.spi.BackendEvents;
import dev.interlock.spi.ClientId;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.LockBackend;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A quorum of three members in this JVM that a test steers, and another client of the first. */
public abstract class SteeredMembers {
  protected static final String NAME = "a";

  /** Longer than a test: nothing ends by itself. */
  protected static final Duration LEASE = Duration.ofSeconds(50);

  private static final AtomicInteger TESTS = new AtomicInteger();
  private static final AtomicLong IDS = new AtomicLong();

  private final String namespace = "steered" + TESTS.incrementAndGet() + "-";

  protected final List<SteeredProvider.Steered> members = SteeredProvider.of("ours", namespace, 3);
  protected LockBackend quorum;
  protected LockBackend first;

  @BeforeEach
  protected final void openBoth() {
    quorum = open("ours", SteeredProvider.quorum(namespace + 0, namespace + 1, namespace + 2));
    first = direct(0);
  }

  @AfterEach
  protected final void closeBoth() {
    quorum.close();
    first.close();
  }

  /** A member, as another client asks it. */
  protected final LockBackend direct(int member) {
    return open("direct", "local://?namespace=" + namespace + member);
  }

  /** A member loses what it has of one attempt of this client, as where it was emptied. */
  protected final void forget(int member, Attempt attempt) {
    try (LockBackend own = open("ours", "local://?namespace=" + namespace + member)) {
      own.abandon(attempt.name(), attempt.id());
    }
  }

  private static LockBackend open(String client, String uri) {
    LockBackend opened =
        BackendContext.of(new ClientId(client, "test")).open(LockConfig.parse(uri));
    opened.subscribe(BackendEvents.IGNORED);
    return opened;
  }

  protected static Attempt attempt() {
    return attempt(NAME);
  }

  protected static Attempt attempt(String name) {
    return Attempt.of(name, new HoldId(1, IDS.incrementAndGet()), "owner", LEASE);
  }

  protected final void takeAndRelease() {
    Attempt held = attempt();
    assertThat(quorum.attempt(held)).isInstanceOf(Grant.class);
    assertThat(quorum.release(NAME, held.id())).isTrue();
  }

  /** As the quorum knows its members. */
  protected final Members quorumMembers() {
    return ((QuorumBackend) quorum).members();
  }
}
