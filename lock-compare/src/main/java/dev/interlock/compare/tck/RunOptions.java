package dev.interlock.compare.tck;

import dev.interlock.compare.cli.OutputDirectory;
import dev.interlock.tck.Rules;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options of all commands that run the kit. For one run, by one thread. */
public final class RunOptions {
  private static final double LARGEST_SCALE = 100;

  @Spec(Spec.Target.MIXEE)
  @SuppressWarnings("NullAway.Init") // picocli sets it before the command is called
  private CommandSpec command;

  @Option(names = "--seed", paramLabel = "N", description = "Repeats a run's random choices.")
  private @Nullable Long seed;

  private double timeScale = 1;

  @Option(
      names = "--rules",
      split = ",",
      paramLabel = "ID",
      description = "Which rules to run, such as X1,L3; nothing else is done then. Default: all.")
  private List<String> rules = new ArrayList<>();

  @Option(
      names = "--histories",
      description = "Also saves the histories of rules that pass, not only of those that do not.")
  private boolean allHistories;

  @Option(
      names = "--out",
      paramLabel = "DIR",
      description = "Where the report is written. Default: target/${COMMAND-NAME}.")
  private @Nullable Path out;

  /** For picocli. */
  public RunOptions() {}

  @Option(
      names = "--time-scale",
      paramLabel = "FACTOR",
      description = {
        "Stretches the leases, waits and time limits of the rules, for a slow machine. A distant",
        "server needs nothing: limits follow its round trip. Default: 1."
      })
  void timeScale(double factor) {
    if (!(factor > 0 && factor <= LARGEST_SCALE)) {
      throw new ParameterException(
          command.commandLine(),
          "--time-scale must be more than 0 and at most " + LARGEST_SCALE + ".");
    }
    timeScale = factor;
  }

  /** How much longer than usual the rules wait. */
  public double timeScale() {
    return timeScale;
  }

  /**
   * The rules to run; empty for all.
   *
   * @throws ParameterException if one of them is not in SPEC.md
   */
  public Set<String> rules() {
    Set<String> chosen = new TreeSet<>();
    for (String rule : rules) {
      chosen.add(known(rule.strip(), "--rules"));
    }
    return chosen;
  }

  /** Refuses what is not a rule. */
  String known(String rule, String option) {
    if (Rules.find(rule).isEmpty()) {
      throw new ParameterException(
          command.commandLine(), option + " names '" + rule + "', which is not a rule of SPEC.md.");
    }
    return rule;
  }

  /** Whether the histories of rules that pass are saved, too. */
  public boolean allHistories() {
    return allHistories;
  }

  /** Makes the directory for the report. */
  public Path directory() {
    return OutputDirectory.prepare(out, command.commandLine());
  }

  /** Chooses the seed, if the user did not, and tells it, so that the run can be repeated. */
  public long tellSeed() {
    long chosen = seed == null ? new SplittableRandom().nextLong() >>> 1 : seed;
    PrintWriter err = command.commandLine().getErr();
    err.println("Seed " + chosen + "; repeat this run with --seed " + chosen);
    err.flush();
    return chosen;
  }
}
