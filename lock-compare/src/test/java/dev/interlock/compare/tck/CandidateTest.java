package dev.interlock.compare.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.compare.peers.Peer;
import dev.interlock.compare.servers.Subject;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class CandidateTest {

  @Test
  void what_takes_long_is_begun_first_and_peers_last() {
    List<Candidate> candidates = new ArrayList<>();
    Subject.ALL.forEach(subject -> candidates.add(Candidate.of(subject, Optional.empty())));
    Peer.ALL.forEach(peer -> candidates.add(Candidate.of(peer)));

    List<Candidate> ordered = Candidate.longestFirst(candidates);

    assertThat(ordered).containsExactlyInAnyOrderElementsOf(candidates);
    assertThat(ordered).extracting(Candidate::id).startsWith("quorum", "postgres", "mysql");
    assertThat(ordered.indexOf(candidates.get(0))).isEqualTo(Subject.ALL.size() - 1);
  }
}
