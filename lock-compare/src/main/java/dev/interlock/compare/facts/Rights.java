package dev.interlock.compare.facts;

import dev.interlock.compare.peers.Clients;
import dev.interlock.compare.servers.Backend;
import dev.interlock.tck.Effort;
import java.util.Optional;

/** Looks with which rights on its server a lock works, and what it does without one of them. */
final class Rights implements Observation {
  /** Of an account whose rights are enough. */
  static final String DOES_ALL =
      "opens, locks, waits, renews, inspects, lists, hands over, releases and forces.";

  /** The same of other libraries, which are asked for no more. */
  private static final String DOES_ALL_OF_A_PEER = "opens, locks, waits, hands over and releases.";

  private static final int ALL = 1000;

  @Override
  public Happening happening() {
    return Happening.RIGHTS;
  }

  /** What an account does, or how it fails. */
  static String does(Backend backend, Optional<String> failure) {
    return failure
        .map(thrown -> "ends with " + thrown + ".")
        .orElse(Clients.isOurs(backend.uri()) ? DOES_ALL : DOES_ALL_OF_A_PEER);
  }

  @Override
  public Fact observe(Backend backend, Effort effort) throws Exception {
    if (backend.admin().redis().isPresent()) {
      return new RedisRights(backend, backend.admin().redis().get())
          .observe(effort.of(3, ALL, ALL));
    }
    if (backend.admin().database().isPresent()) {
      return new SqlRights(backend, backend.admin().database().get()).observe();
    }
    return Fact.none(
        happening(),
        backend.isInOneJvm()
            ? "there is no server"
            : backend.members().isPresent()
                ? "each member is asked as its own provider asks it"
                : "the server is not ours");
  }
}
