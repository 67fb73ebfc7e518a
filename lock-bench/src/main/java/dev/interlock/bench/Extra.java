package dev.interlock.bench;

import dev.interlock.measure.server.ServerKind;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/** What is measured beside the scenarios. */
enum Extra {
  UNCONTENDED("uncontended", "one thread, in short turns with the floor"),
  HAND_OFF(
      "hand-off",
      "from the release to another client that waits, in short turns; alone: in a JVM that just started"),
  FENCED_WRITES(
      "fenced-writes",
      "in a database: a transaction with one UPDATE, plain, with a guard column, with a guard row");

  private final String id;
  private final String description;

  Extra(String id, String description) {
    this.id = id;
    this.description = description;
  }

  String id() {
    return id;
  }

  String description() {
    return description;
  }

  /** Those that the server can be measured with. */
  static Set<Extra> on(ServerKind server) {
    return server == ServerKind.REDIS
        ? EnumSet.complementOf(EnumSet.of(FENCED_WRITES))
        : EnumSet.allOf(Extra.class);
  }

  static Optional<Extra> find(String id, ServerKind server) {
    return on(server).stream().filter(extra -> extra.id.equals(id)).findFirst();
  }
}
