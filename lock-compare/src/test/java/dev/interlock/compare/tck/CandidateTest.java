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
  void the_one_with_most_to_do_begins_beside_the_one_with_least_and_peers_come_last() {
    List<Candidate> candidates = new ArrayList<>();
    Subject.ALL.forEach(subject -> candidates.add(Candidate.of(subject, Optional.empty())));
    Peer.ALL.forEach(peer -> candidates.add(Candidate.of(peer)));

    List<Candidate> ordered = Candidate.inOrderOfBeginning(candidates);

    assertThat(ordered).containsExactlyInAnyOrderElementsOf(candidates);
    assertThat(ordered)
        .extracting(Candidate::id)
        .startsWith("quorum", "local", "postgres", "mysql", "redis-hash");
    assertThat(ordered.indexOf(Candidate.of(Peer.ALL.get(0)))).isEqualTo(Subject.ALL.size());
  }
}
