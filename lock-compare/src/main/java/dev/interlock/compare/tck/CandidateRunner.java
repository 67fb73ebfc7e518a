package dev.interlock.compare.tck;

import dev.interlock.compare.report.Progress;
import dev.interlock.compare.report.ProviderReport;
import dev.interlock.compare.servers.ServerTurns;
import java.io.IOException;

/** Has the kit judge a lock on a server. */
@FunctionalInterface
public interface CandidateRunner {

  /**
   * Starts the lock's server, runs the rules, and ends the server. Blocks.
   *
   * @param timeScale stretches the rules' time limits
   * @param turns of those that are judged at the same time
   * @return the verdicts, without figures
   * @throws dev.interlock.LockException or another RuntimeException if the rules cannot be run
   */
  ProviderReport run(
      Candidate candidate,
      KitSettings settings,
      double timeScale,
      Progress progress,
      ServerTurns turns)
      throws IOException;
}
