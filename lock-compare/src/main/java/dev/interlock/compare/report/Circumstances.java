package dev.interlock.compare.report;

import java.lang.management.ManagementFactory;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * How and on which machine a report was made. Immutable.
 *
 * @param command which command made it
 * @param timeScale how much longer than usual the rules waited
 * @param jdk the version of the JDK
 * @param compiler the arguments by which the JVM that measured was told how to compile; empty if it
 *     was told nothing
 * @param system operating system and kind of processor
 * @param processors how many there are
 * @param loadBefore how many processes ran or wanted to, on an average of the minute before the
 *     run; negative where the system does not tell
 * @param loadAfter the same of its last minute
 * @param inOneJvm whether clients stood for JVMs, because the user said so
 * @param waivers the rules that the user set aside, and why
 */
public record Circumstances(
    String command,
    double timeScale,
    String jdk,
    String compiler,
    String system,
    int processors,
    double loadBefore,
    double loadAfter,
    boolean inOneJvm,
    Map<String, String> waivers) {
  /** The command that compares what this project knows. */
  public static final String COMPARE = "compare";

  /** The command that judges somebody's provider. */
  public static final String TCK = "tck";

  private static final Pattern COMPILER =
      Pattern.compile("-XX:TieredStopAtLevel=.*|-XX:[+-]TieredCompilation|-Xint");

  /** Figures of such a JVM are not those of a service that has warmed up. */
  private static final Pattern NOT_OPTIMISING =
      Pattern.compile("-XX:TieredStopAtLevel=[0-3]|-Xint");

  /** Copies the waivers, in their order. */
  public Circumstances {
    waivers = Collections.unmodifiableMap(new LinkedHashMap<>(waivers));
  }

  /** Asks this machine, before a run. */
  public static Circumstances before(String command, double timeScale) {
    return before(command, timeScale, false, Map.of());
  }

  /** The same before a run of which the user said more. */
  public static Circumstances before(
      String command, double timeScale, boolean inOneJvm, Map<String, String> waivers) {
    double load = load();
    return new Circumstances(
        command,
        timeScale,
        Runtime.version().toString(),
        compiler(ManagementFactory.getRuntimeMXBean().getInputArguments()),
        System.getProperty("os.name") + " " + System.getProperty("os.arch"),
        Runtime.getRuntime().availableProcessors(),
        load,
        load,
        inOneJvm,
        waivers);
  }

  /** Asks again, when the run has ended. */
  public Circumstances after() {
    return new Circumstances(
        command,
        timeScale,
        jdk,
        compiler,
        system,
        processors,
        loadBefore,
        load(),
        inOneJvm,
        waivers);
  }

  /** Those of a JVM's arguments that are about its compiler. */
  static String compiler(List<String> arguments) {
    return arguments.stream().filter(COMPILER.asMatchPredicate()).collect(Collectors.joining(" "));
  }

  private static double load() {
    return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
  }

  /** The machine in words. */
  String machine() {
    String load = loadBefore < 0
        ? ""
        : ", load %s before the run and %s at its end".formatted(text(loadBefore), text(loadAfter));
    String compiled = compiler.isEmpty() ? "" : " with " + compiler;
    boolean plain = Stream.of(compiler.split(" ")).anyMatch(NOT_OPTIMISING.asMatchPredicate());
    return "JDK " + jdk + compiled + (plain ? " (no optimising compiler)" : "") + ", " + system
        + ", " + processors + " processors" + load;
  }

  private static String text(double load) {
    return String.format(Locale.ROOT, "%.1f", load);
  }
}
