package dev.interlock.bench;

/** Starts the bench from the command line; {@code --help} tells the rest. */
public final class Bench {
  private Bench() {}

  /**
   * Runs the bench and ends the JVM: status 0 if all was measured, 1 if a subject failed or
   * violated exclusion, 2 if the arguments are wrong.
   *
   * @param args as {@code --help} lists them
   */
  public static void main(String[] args) {
    System.exit(BenchCommand.commandLine().execute(args));
  }
}
