package dev.interlock.mysql.internal.backend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.mysql.internal.grants.Entries;
import dev.interlock.mysql.internal.queue.Entry;
import dev.interlock.mysql.internal.statements.LockKey;
import dev.interlock.mysql.internal.statements.LockMapper.KnownEntry;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.Release;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Which releases take waiting attempts along. */
class OperationsTest {

  @Test
  void aReleaseTakesRidersAlongOnceAsManyAsStillStandInTheQueueHaveGathered() {
    Entries entries = new Entries();
    for (long ticket = 1; ticket <= 5; ticket++) {
      entries.put(
          new KnownEntry(
              "lock", LockKey.of("n", "lock"), Entry.WAITER, ticket, new HoldId(1, ticket), false),
          Duration.ZERO);
    }
    Release single = Release.of("lock", new HoldId(1, 9));
    Release ofRun = Release.of("lock", new HoldId(1, 9))
        .withPassed(List.of(new HoldId(1, 1), new HoldId(1, 2)));

    assertThat(riders(single, entries)).isEqualTo(5);
    assertThat(riders(ofRun, entries)).as("two have had it").isEqualTo(3);
    Set.of(1L, 2L, 3L, 4L, 5L).forEach(ticket -> entries.remove(new HoldId(1, ticket)));
    assertThat(riders(single, entries)).as("none stands there").isEqualTo(0);
  }

  /** How many riders it takes. */
  private static int riders(Release release, Entries entries) {
    Operation<?> operation =
        new Operations.GiveBack(release, entries, (name, id, transition) -> {});
    int riders = 0;
    while (!operation.takesAlong(riders)) {
      riders++;
    }
    return riders;
  }
}
