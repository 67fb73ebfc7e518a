package dev.interlock.compare.peers;

import dev.interlock.LockClient;
import dev.interlock.Locks;
import dev.interlock.compare.servers.LockUris;
import dev.interlock.measure.CountedClient;
import dev.interlock.measure.CountedScenario;
import dev.interlock.measure.OwnCounted;
import dev.interlock.measure.SectionClient;
import java.util.Optional;
import java.util.Set;

/** Opens clients of whatever is compared. The scheme of a URI tells whose. */
public final class Clients {
  private Clients() {}

  /** Whether the URI is of one of our providers, which tells more than others do. */
  public static boolean isOurs(String uri) {
    return peer(uri).isEmpty() && Floor.find(uri).isEmpty();
  }

  /** Opens a client of a provider's, or of a peer's, with its usual settings. */
  public static LockClient open(String uri) {
    return peer(uri).map(peer -> peer.open().usual(uri)).orElseGet(() -> Locks.open(uri));
  }

  /** Opens a peer's client as its library has it, without our interface, or the floor. */
  public static SectionClient sections(String uri) {
    return Floor.find(uri)
        .map(floor -> floor.open(uri))
        .orElseGet(() -> peer(uri).orElseThrow().open().sections(uri));
  }

  /**
   * What another library keeps on its server, each key or row as a text: its locks are not asked,
   * so that nobody who waits for one notices.
   */
  public static Set<String> kept(String uri) {
    return peer(uri).orElseThrow().open().kept(uri);
  }

  /** Opens a client whose locks are held in parts; none if there are no such locks. */
  public static Optional<CountedClient> counted(String uri, CountedScenario scenario) {
    if (!isOurs(uri)) {
      return peer(uri).flatMap(peer -> peer.open().counted(uri, scenario));
    }
    LockClient client = Locks.open(uri);
    if (!client.capabilities().contains(scenario.needed())) {
      client.close();
      return Optional.empty();
    }
    return Optional.of(new OwnCounted(client, scenario));
  }

  private static Optional<Peer> peer(String uri) {
    return LockUris.scheme(uri).flatMap(Peer::find);
  }
}
