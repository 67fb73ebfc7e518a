package dev.interlock.tck;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What a verdict rests on.
 *
 * @param operations how many calls to the provider were made and judged
 * @param seed the seed of the run, which repeats its random choices
 * @param took how long the rule ran
 * @param faults the faults that were really hit, for example "kill -9 of a worker"
 * @param message for a pass what was observed; otherwise what was expected, what happened, and what
 *     to check
 * @param history line by line: the shortest part of a recorded history that shows a violation, or
 *     where an unexpected exception was thrown; after that the last calls that the failed test made
 *     in this JVM and the faults between them, and the last calls of its clients in all JVMs at the
 *     SPI
 * @param saved the file with the whole of the recorded histories, for {@link SavedHistory#read};
 *     empty if there are none or they were not to be saved
 * @param outOfOrder whether a call hung or threw what it must not, or the backend was not in order
 *     again when the clients of the rule were closed. That is a failure whatever the rule asks for,
 *     so also of a SHOULD rule, for which it is no warning
 */
public record Evidence(
    long operations,
    long seed,
    Duration took,
    List<String> faults,
    String message,
    List<String> history,
    Optional<Path> saved,
    boolean outOfOrder) {

  /** Of a rule after which all was in order. */
  public Evidence(
      long operations,
      long seed,
      Duration took,
      List<String> faults,
      String message,
      List<String> history,
      Optional<Path> saved) {
    this(operations, seed, took, faults, message, history, saved, false);
  }

  /** Copies the lists. */
  public Evidence {
    faults = List.copyOf(faults);
    history = List.copyOf(history);
  }
}
