package dev.interlock.bench;

import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/** What is measured beside the scenarios. */
enum Extra {
  UNCONTENDED("uncontended", "one thread, in short turns with the floor"),
  HAND_OFF(
      "hand-off",
      "from the release to another client that waits, in short turns; alone: in a JVM that just started");

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

  static Set<Extra> all() {
    return EnumSet.allOf(Extra.class);
  }

  static Optional<Extra> find(String id) {
    return all().stream().filter(extra -> extra.id.equals(id)).findFirst();
  }
}
