package dev.interlock.quorum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.BackendUnavailableException;
import dev.interlock.HoldInfo;
import dev.interlock.LockException;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldPage;
import dev.interlock.spi.HoldQuery;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ListedLocksTest extends SteeredMembers {
  @BeforeEach
  void hold() {
    for (String name : List.of("a", "b", "c")) {
      Attempt held = attempt(name);
      assertThat(quorum.attempt(held)).isInstanceOf(Grant.class);
      awaitVotes(held);
    }
  }

  @Test
  @DisplayName("M1 locks are listed by the next member where the first one's list is out of reach")
  void listsPastAMemberThatIsAway() {
    members.get(0).failsToList(true);
    assertThat(listed(1)).containsExactlyInAnyOrder("a", "b", "c");
  }

  @Test
  @DisplayName("M1 also where it fails behind its first page, and each lock once or twice")
  void listsPastAMemberThatGoesAway() {
    HoldPage page = quorum.list(HoldQuery.of(1)).orElseThrow();
    members.get(0).failsToList(true);
    List<String> names = names(page);
    names.addAll(listed(1, page.next()));
    assertThat(names).contains("a", "b", "c");
  }

  @Test
  @DisplayName("M1 a list that may lack locks is an error")
  void failsWithoutEnough() {
    members.get(0).failsToList(true);
    members.get(2).failsToList(true);
    assertThatThrownBy(() -> listed(10))
        .isInstanceOf(BackendUnavailableException.class)
        .hasMessageContaining("list lock '*'")
        .hasMessageContaining("cannot list");
  }

  @Test
  @DisplayName("M1 a list that is refused is an error, and not an empty list")
  void tellsARefusal() {
    members.get(0).refusesLists(true);
    assertThatThrownBy(() -> listed(10))
        .isInstanceOf(LockException.class)
        .hasMessageContaining("no right to list");
  }

  @Test
  @DisplayName("M1 a position of something else is refused")
  void knowsItsPositions() {
    for (String position : List.of("", "3:", "-1:", "0,3:", "x:", ":1", ",:", "0,:")) {
      assertThatThrownBy(() -> quorum.list(HoldQuery.of(1).withAfter(position)))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  private List<String> listed(int limit) {
    return listed(limit, Optional.of("0:"));
  }

  private List<String> listed(int limit, Optional<String> first) {
    List<String> names = new ArrayList<>();
    for (Optional<String> next = first; next.isPresent(); ) {
      HoldPage page = quorum.list(HoldQuery.of(limit).withAfter(next.get())).orElseThrow();
      names.addAll(names(page));
      next = page.next();
    }
    return names;
  }

  private static List<String> names(HoldPage page) {
    return new ArrayList<>(page.holds().stream().map(HoldInfo::name).toList());
  }
}
