package dev.interlock.tck.internal.run;

import dev.interlock.tck.TckFault;
import dev.interlock.tck.Verdict;
import java.util.List;
import java.util.Set;

/** Faults that tests need, and the author of a backend did not offer. */
final class LackingFaults {
  private LackingFaults() {}

  /** What can be said of a rule when some of its tests, or all, could not be run. */
  static Finding finding(Set<TckFault> missing, int done, RuleRun run) {
    if (!run.oneJvm()) {
      return new Finding(
          Verdict.INCONCLUSIVE,
          RuleExecutor.NOT_OFFERED + missing + ", " + wayToOffer(missing) + ". " + run.notes(),
          List.of());
    }
    run.note("The state is in this JVM: there is no server for " + missing);
    return new Finding(done > 0 ? Verdict.PASS : Verdict.NOT_CLAIMED, run.notes(), List.of());
  }

  private static String wayToOffer(Set<TckFault> missing) {
    String server = "see TckBackend.faults(TckServer)";
    String proxy = "a proxy needs one host with its port in the URI";
    if (!missing.contains(TckFault.CONNECTION)) {
      return server;
    }
    return missing.size() == 1 ? proxy : proxy + "; for the others " + server;
  }
}
