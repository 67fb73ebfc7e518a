package dev.interlock.compare.tck;

import dev.interlock.compare.report.Progress;
import dev.interlock.compare.report.ProviderReport;
import dev.interlock.compare.servers.ServerTurns;
import java.io.IOException;
import java.nio.file.Path;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Has the kit run in a JVM of its own for each lock. So several may be judged at the same time:
 * what one does to its JVM, such as to keep all threads of the common pool busy, no other one
 * meets.
 *
 * @param logs the directory that gets what the locks' libraries print
 */
public record RunInOwnJvm(Path logs) implements CandidateRunner {
  private static final String OURS = "interlock.";

  /** From which port on the workers of a kit wait for a debugger. */
  private static final String DEBUG = "interlock.tck.debug";

  /** How many ports each lock has for that, so that those of the next one are others. */
  private static final int PORTS = 100;

  private static final AtomicInteger JUDGED = new AtomicInteger();

  @Override
  public ProviderReport run(
      Candidate candidate,
      KitSettings settings,
      double timeScale,
      Progress progress,
      ServerTurns turns)
      throws IOException {
    TreeMap<String, String> properties = new TreeMap<>();
    System.getProperties().stringPropertyNames().stream()
        .filter(name -> name.startsWith(OURS))
        .forEach(name -> properties.put(name, System.getProperty(name)));
    properties.computeIfPresent(DEBUG, (name, asked) -> ports(asked, JUDGED.getAndIncrement()));
    JudgeMessage.KnownLock order = new JudgeMessage.KnownLock(
        candidate.id(),
        candidate.isPeer(),
        candidate.uri().orElse(null),
        new TreeSet<>(settings.rules()),
        settings.effort(),
        settings.seed(),
        timeScale,
        settings.histories().toString(),
        settings.allHistories(),
        properties);
    Path log = logs.resolve(candidate.id() + ".log");
    return JudgeProcess.ofKnownLock(log, progress, turns).run(order).ofPeer(candidate.isPeer());
  }

  /** What a lock's kit is told, of what the user asked for; it says itself what is wrong there. */
  static String ports(String asked, int before) {
    return asked.matches("[0-9]{1,5}")
        ? Integer.toString(Integer.parseInt(asked) + before * PORTS)
        : asked;
  }
}
