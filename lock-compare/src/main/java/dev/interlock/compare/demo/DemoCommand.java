package dev.interlock.compare.demo;

import dev.interlock.LockClient;
import dev.interlock.LockConfig;
import dev.interlock.LockConfigurationException;
import dev.interlock.LockProviderNotFoundException;
import dev.interlock.Locks;
import dev.interlock.compare.cli.Errors;
import dev.interlock.compare.cli.Versions;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command {@code demo}. For one run, by one thread. */
@Command(
    name = "demo",
    description = {
      "Three JVMs fight for one lock; shows who holds it, with fencing tokens, while it happens."
    },
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:the tokens grew from hold to hold",
      "1:they did not, or the backend cannot be used",
      "2:wrong arguments"
    },
    mixinStandardHelpOptions = true,
    versionProvider = Versions.class,
    sortOptions = false)
public final class DemoCommand implements Callable<Integer> {
  private static final int CONTENDERS = 3;
  private static final int LONGEST_SECONDS = 24 * 60 * 60;

  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it before call()
  private CommandSpec spec;

  @Parameters(
      paramLabel = "URI",
      description = "Where the lock is, such as redis-setnx://localhost:6379 or local://.")
  @SuppressWarnings("NullAway.Init") // picocli sets it before call()
  private String uri;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      description = "How long; Ctrl-C ends it earlier. Default: ${DEFAULT-VALUE}.")
  private int seconds = 15;

  /** For picocli. */
  DemoCommand() {}

  @Override
  public Integer call() throws Exception {
    if (seconds < 1 || seconds > LONGEST_SECONDS) {
      throw wrong("--seconds must be from 1 to " + LONGEST_SECONDS + ", not " + seconds + ".");
    }
    boolean withinThisJvm = check().equals("local");
    PrintWriter out = spec.commandLine().getOut();
    if (withinThisJvm) {
      out.println(
          "The state of local:// is private to a JVM, so three JVMs would never meet there.");
      out.println("Three clients within this JVM fight for the lock instead.");
    }
    DemoShow show = new DemoShow(out, spec.commandLine().getColorScheme().ansi());
    DemoStage stage = withinThisJvm ? new DemoStage.OneJvm() : new DemoStage.SeveralJvms();
    stage.play(uri, CONTENDERS, Duration.ofSeconds(seconds), show);
    return show.summary() ? ExitCode.OK : ExitCode.SOFTWARE;
  }

  /** Finds out here what is wrong with the URI, rather than three times in three JVMs. */
  private String check() {
    try {
      LockConfig config = LockConfig.parse(uri);
      try (LockClient client = Locks.open(config)) {
        client.inspect(DemoContender.NAME);
      }
      return config.provider();
    } catch (LockConfigurationException | LockProviderNotFoundException e) {
      throw wrong(Errors.describe(e));
    }
  }

  private ParameterException wrong(String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
