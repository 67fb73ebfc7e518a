package dev.interlock.cli;

import dev.interlock.LockException;
import java.io.PrintWriter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** How a command tells what it found. For one run, by one thread. */
final class Output {
  @Spec(Spec.Target.MIXEE)
  @SuppressWarnings("NullAway.Init") // picocli sets it before the command runs
  private CommandSpec command;

  @Option(names = "--json", description = "For programs: JSON in place of text.")
  private boolean json;

  /** For picocli. */
  Output() {}

  boolean isJson() {
    return json;
  }

  boolean isTerminal() {
    return command.commandLine().getColorScheme().ansi().enabled();
  }

  /**
   * Prints a text and ends its line.
   *
   * @throws LockException if nobody reads it any more, or there is no room
   */
  void print(String text) {
    PrintWriter out = command.commandLine().getOut();
    out.println(text);
    if (out.checkError()) { // which flushes
      throw new LockException("The output cannot be written.");
    }
  }

  /** Where questions and faults go, so that they are in no document. */
  PrintWriter err() {
    return command.commandLine().getErr();
  }

  /** Refuses a number that makes no sense for an option. */
  void requirePositive(String option, int number) {
    if (number < 1) {
      throw new ParameterException(
          command.commandLine(), option + " must be at least 1, not " + number + ".");
    }
  }
}
