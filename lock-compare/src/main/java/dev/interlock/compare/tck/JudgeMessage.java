package dev.interlock.compare.tck;

import dev.interlock.Capability;
import dev.interlock.tck.Effort;
import dev.interlock.tck.Evidence;
import dev.interlock.tck.Level;
import dev.interlock.tck.RuleResult;
import dev.interlock.tck.TckResult;
import dev.interlock.tck.TckScales;
import dev.interlock.tck.Verdict;
import java.io.Serializable;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** What a command and the JVM that judges for it send each other. */
sealed interface JudgeMessage extends Serializable {

  /**
   * What to judge, and how. Sent first, and not as arguments: a URI may carry a password.
   *
   * @param uri where the backend is
   * @param rules the ids of the rules to run; empty for all
   * @param waivers reasons by rule id
   * @param histories the directory in which histories are saved
   * @param allHistories whether also those of rules that pass are
   */
  record Order(
      String uri,
      Effort effort,
      long seed,
      TreeSet<String> rules,
      LinkedHashMap<String, String> waivers,
      double timeScale,
      boolean inOneJvm,
      String histories,
      boolean allHistories)
      implements JudgeMessage {}

  /**
   * Which of the locks that this project knows to judge, and how. Sent first.
   *
   * @param uri where the server is; null if one is to be started
   * @param rules the ids of the rules to run; empty for all
   * @param properties system properties of the JVM that asks, which say where servers come from
   */
  record KnownLock(
      String id,
      boolean isPeer,
      @Nullable String uri,
      TreeSet<String> rules,
      Effort effort,
      long seed,
      double timeScale,
      String histories,
      boolean allHistories,
      TreeMap<String, String> properties)
      implements JudgeMessage {}

  /**
   * The server is there. The rules are run once the answer is {@link Go}.
   *
   * @param origin where it comes from
   * @param address the same for all that share it
   */
  record Server(String origin, String address) implements JudgeMessage {}

  /** Nobody else uses the server now. */
  record Go() implements JudgeMessage {}

  /** One rule has its verdict. */
  record Judged(
      String id,
      String title,
      Level level,
      Verdict verdict,
      long operations,
      long seed,
      Duration took,
      ArrayList<String> faults,
      String message,
      ArrayList<String> history,
      @Nullable String saved,
      boolean outOfOrder)
      implements JudgeMessage {

    static Judged of(RuleResult result) {
      Evidence evidence = result.evidence();
      return new Judged(
          result.id(),
          result.title(),
          result.level(),
          result.verdict(),
          evidence.operations(),
          evidence.seed(),
          evidence.took(),
          new ArrayList<>(evidence.faults()),
          evidence.message(),
          new ArrayList<>(evidence.history()),
          evidence.saved().map(Path::toString).orElse(null),
          evidence.outOfOrder());
    }

    RuleResult result() {
      Optional<Path> file = Optional.ofNullable(saved).map(Path::of);
      Evidence evidence =
          new Evidence(operations, seed, took, faults, message, history, file, outOfOrder);
      return new RuleResult(id, title, level, verdict, evidence);
    }
  }

  /** Only rules are left that run one after the other. */
  record OneByOne() implements JudgeMessage {}

  /** All rules have their verdict. */
  record Finished(
      String id,
      String version,
      String server,
      EnumSet<Capability> capabilities,
      double lengths,
      double limits,
      Duration roundTrip,
      Duration leaseGranularity)
      implements JudgeMessage {

    static Finished of(String id, TckResult result) {
      EnumSet<Capability> capabilities = EnumSet.noneOf(Capability.class);
      capabilities.addAll(result.capabilities());
      TckScales scales = result.scales();
      return new Finished(
          id,
          result.provider().version(),
          result.server(),
          capabilities,
          scales.lengths(),
          scales.limits(),
          scales.roundTrip(),
          scales.leaseGranularity());
    }

    TckScales scales() {
      return new TckScales(lengths, limits, roundTrip, leaseGranularity);
    }
  }

  /**
   * The rules could not be run.
   *
   * @param message for people
   * @param wrongArguments whether the arguments are the reason, rather than the server
   */
  record Refused(String message, boolean wrongArguments) implements JudgeMessage {}
}
