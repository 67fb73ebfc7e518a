package dev.interlock.compare.tck;

import dev.interlock.Capability;
import dev.interlock.Locks;
import dev.interlock.ProviderInfo;
import dev.interlock.compare.peers.Peer;
import dev.interlock.compare.servers.Backend;
import dev.interlock.compare.servers.Subject;
import dev.interlock.tck.TckBackend;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A lock to judge, of those that this project knows.
 *
 * @param id the provider's, or the peer's
 * @param isPeer whether it is another library's lock
 * @param uri where its server is; empty if one is to be started
 */
public record Candidate(String id, boolean isPeer, Optional<String> uri) {
  public static Candidate of(Subject subject, Optional<String> uri) {
    return new Candidate(subject.id(), false, uri);
  }

  public static Candidate of(Peer peer) {
    return new Candidate(peer.id(), true, Optional.empty());
  }

  /**
   * In the order in which they are best begun. Our providers are listed from the simplest to those
   * with the most to do. The two with the most do not begin together, which would leave the
   * processors nothing for the rules on time, but still before all others but the simplest, for
   * their rules that run one by one take longest, and nobody should be left over alone at the end.
   * Peers, of which fewer rules can be judged, come after them.
   */
  public static List<Candidate> inOrderOfBeginning(List<Candidate> candidates) {
    Deque<Candidate> ours = new ArrayDeque<>();
    candidates.stream().filter(one -> !one.isPeer()).forEach(ours::add);
    List<Candidate> ordered = new ArrayList<>();
    while (!ours.isEmpty()) {
      ordered.add(ordered.size() == 1 ? ours.removeFirst() : ours.removeLast());
    }
    candidates.stream().filter(Candidate::isPeer).forEach(ordered::add);
    return ordered;
  }

  private Peer peer() {
    return Peer.find(id).orElseThrow();
  }

  private Subject subject() {
    return Subject.find(id).orElseThrow();
  }

  /** Starts its server, or connects to the given one. */
  public Backend start() {
    return isPeer ? peer().start() : uri.map(subject()::at).orElseGet(subject()::start);
  }

  /** The version of the provider, or of the peer's library. */
  public String version() {
    return isPeer ? peer().version() : provider().map(ProviderInfo::version).orElse("unknown");
  }

  /** What it promises with its usual settings. */
  public Set<Capability> capabilities() {
    return isPeer
        ? peer().capabilities()
        : provider().map(ProviderInfo::capabilities).orElse(Set.of());
  }

  private Optional<ProviderInfo> provider() {
    return Locks.providers().stream().filter(found -> found.id().equals(id)).findFirst();
  }

  /** What the kit is to judge. */
  TckBackend target(Backend backend) {
    return isPeer ? peer().target(backend) : backend.target();
  }
}
