package dev.interlock.bench;

import dev.interlock.measure.CountedScenario;
import dev.interlock.measure.server.ServerKind;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What is measured beside the scenarios. */
enum ExtraMeasurement {
  UNCONTENDED("uncontended", "one thread, in short turns with the floor"),
  HAND_OFF(
      "hand-off",
      "from the release to another client that waits, in short turns; alone: in a JVM that just"
          + " started"),
  FENCED_WRITES(
      "fenced-writes",
      "in a database: a transaction with one UPDATE, plain, with a guard column, with a guard row"),
  BYSTANDER(
      "bystander",
      "on postgres: one-row updates beside 32 threads and a lock, there and on another server"),
  READ_WRITE(CountedScenario.READ_WRITE.id(), CountedScenario.READ_WRITE.description()),
  SEMAPHORE(CountedScenario.SEMAPHORE.id(), CountedScenario.SEMAPHORE.description()),
  SILENT_MEMBER(
      "silent-member",
      "with --quorum: 16 threads on 16 locks before and after a server falls silent for good");

  private final String id;
  private final String description;

  ExtraMeasurement(String id, String description) {
    this.id = id;
    this.description = description;
  }

  /** The scenario whose locks are held in parts; null for what is measured otherwise. */
  @Nullable
  CountedScenario counted() {
    return switch (this) {
      case READ_WRITE -> CountedScenario.READ_WRITE;
      case SEMAPHORE -> CountedScenario.SEMAPHORE;
      default -> null;
    };
  }

  String id() {
    return id;
  }

  String description() {
    return description;
  }

  /**
   * Those that the server can be measured with.
   *
   * @param quorum whether there are three of them
   */
  static Set<ExtraMeasurement> on(ServerKind server, boolean quorum) {
    EnumSet<ExtraMeasurement> extras = EnumSet.of(UNCONTENDED, HAND_OFF);
    if (!quorum) {
      extras.addAll(EnumSet.of(READ_WRITE, SEMAPHORE));
    }
    if (server != ServerKind.REDIS) {
      extras.add(FENCED_WRITES);
    }
    if (server == ServerKind.POSTGRES) {
      extras.add(BYSTANDER);
    }
    if (quorum) {
      extras.add(SILENT_MEMBER);
    }
    return extras;
  }

  static Optional<ExtraMeasurement> find(String id, ServerKind server, boolean quorum) {
    return on(server, quorum).stream().filter(extra -> extra.id.equals(id)).findFirst();
  }
}
