package dev.interlock.bench.report;

import dev.interlock.bench.runs.BenchPlan;
import dev.interlock.bench.runs.BystanderResult;
import dev.interlock.bench.runs.CountedResult;
import dev.interlock.bench.runs.FencedWritesResult;
import dev.interlock.bench.runs.HandOffResult;
import dev.interlock.bench.runs.OpenSubjects;
import dev.interlock.bench.runs.ScenarioResult;
import dev.interlock.bench.runs.SilentMemberResult;
import dev.interlock.bench.runs.UncontendedResult;
import dev.interlock.measure.peers.Versions;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * All that a run showed, in the form in which it is written as JSON.
 *
 * @param environment where it ran
 * @param plan how long it measured what
 * @param uncontended one thread, nobody else
 * @param handOffs from one client to another that waits
 * @param fencedWrites what fencing costs, in a database
 * @param bystander what others notice of a lock that is fought for on their server
 * @param silentMember what is left once one of three servers is silent
 * @param counted read-write locks and semaphores
 * @param scenarios the contended ones, and the simple one of a thread and a lock
 * @param targets what redis-setnx is to reach, where this run measured it
 * @param failures subjects that could not be measured to the end
 */
public record BenchReport(
    Environment environment,
    BenchPlan plan,
    List<UncontendedResult> uncontended,
    List<HandOffResult> handOffs,
    List<FencedWritesResult> fencedWrites,
    List<BystanderResult> bystander,
    List<SilentMemberResult> silentMember,
    List<CountedResult> counted,
    List<ScenarioResult> scenarios,
    List<Target> targets,
    List<OpenSubjects.Failure> failures) {

  /**
   * Where a run took place.
   *
   * @param started the date and time, ISO-8601
   * @param server its name and version
   * @param serverSource where the server came from
   * @param jdk vendor and version
   * @param os name, version and architecture
   * @param cores as the JVM sees them
   * @param load the system's load average before the run, of the last minute; negative if unknown
   * @param libraries versions of all that was on the class path to be measured
   */
  public record Environment(
      String started,
      String server,
      String serverSource,
      String jdk,
      String os,
      int cores,
      double load,
      Map<String, String> libraries) {

    /** Whether other programs kept the machine busy when the run began. */
    public boolean busy() {
      return load > cores / 2.0;
    }

    public static Environment of(String started, double load, String server, String serverSource) {
      Runtime.Version java = Runtime.version();
      return new Environment(
          started,
          server,
          serverSource,
          System.getProperty("java.vendor") + " " + java,
          System.getProperty("os.name")
              + " "
              + System.getProperty("os.version")
              + " "
              + System.getProperty("os.arch"),
          Runtime.getRuntime().availableProcessors(),
          load,
          Versions.all());
    }
  }

  Optional<ScenarioResult> scenario(String id) {
    return scenarios.stream().filter(scenario -> scenario.id().equals(id)).findFirst();
  }

  /** Whether every subject was measured and kept its locks exclusive. */
  public boolean sound() {
    return failures.isEmpty()
        && counted.stream().allMatch(result -> result.excesses() == 0)
        && scenarios.stream()
            .flatMap(scenario -> scenario.subjects().stream())
            .allMatch(ScenarioResult.SubjectResult::excluded);
  }
}
