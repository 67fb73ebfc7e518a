package dev.interlock.compare.tck;

import dev.interlock.compare.peers.Peer;
import dev.interlock.compare.servers.Backend;
import dev.interlock.compare.servers.Subject;
import dev.interlock.tck.TckBackend;
import java.util.Optional;

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

  /** What the kit is to judge. */
  TckBackend target(Backend backend) {
    return isPeer ? peer().target(backend) : backend.target();
  }
}
