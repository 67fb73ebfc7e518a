package dev.interlock.compare;

import dev.interlock.compare.facts.Observation;
import dev.interlock.compare.figures.Measurement;
import dev.interlock.compare.tck.RuleRunner;
import dev.interlock.compare.tck.RunInThisJvm;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.IFactory;

/** Runs the command line within this JVM, as the main class does. */
public final class Cli {

  /**
   * What came of it.
   *
   * @param status the exit status
   * @param out standard output
   * @param err standard error
   */
  public record Outcome(int status, String out, String err) {}

  private Cli() {}

  /** As it is. */
  public static Outcome run(String... args) {
    return run(CommandLine.defaultFactory(), args);
  }

  /** With another kit and no measurements. */
  static Outcome run(RuleRunner kit, String... args) {
    return run(kit, List.of(), args);
  }

  static Outcome run(RuleRunner kit, List<Measurement> measurements, String... args) {
    return run(kit, measurements, List.of(), args);
  }

  static Outcome run(
      RuleRunner kit,
      List<Measurement> measurements,
      List<Observation> observations,
      String... args) {
    return run(
        new IFactory() {
          @Override
          public <K> K create(Class<K> type) throws Exception {
            return type == CompareCommand.class
                ? type.cast(
                    new CompareCommand(out -> new RunInThisJvm(kit), measurements, observations))
                : CommandLine.defaultFactory().create(type);
          }
        },
        args);
  }

  private static Outcome run(IFactory factory, String... args) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int status = Interlock.prepare(new CommandLine(new Interlock(), factory))
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .setColorScheme(CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.OFF))
        .execute(args);
    return new Outcome(status, out.toString(), err.toString());
  }
}
