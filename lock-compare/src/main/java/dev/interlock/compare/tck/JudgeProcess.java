package dev.interlock.compare.tck;

import dev.interlock.LockException;
import dev.interlock.Locks;
import dev.interlock.compare.cli.ChildJvm;
import dev.interlock.compare.figures.Figures;
import dev.interlock.compare.report.Overlap;
import dev.interlock.compare.report.Progress;
import dev.interlock.compare.report.ProviderReport;
import dev.interlock.compare.servers.Backend;
import dev.interlock.compare.servers.ServerTurns;
import dev.interlock.tck.RuleResult;
import dev.interlock.tck.Rules;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.File;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/** Has the kit run in a JVM of its own, where nothing else disturbs it. For one run. */
final class JudgeProcess {
  private static final int END_SECONDS = 10;

  /** The rules could not be run because of what the user asked for. */
  static final class WrongArgumentsException extends LockException {
    private static final long serialVersionUID = 1L;

    WrongArgumentsException(String message) {
      super(message);
    }
  }

  private final Class<?> main;
  private final String classPath;
  private final Path log;
  private final Progress progress;
  private final ServerTurns turns;

  /** When the JVM must not use its server any more. */
  private Runnable turnEnds = () -> {};

  private String origin = Backend.GIVEN;

  private JudgeProcess(
      Class<?> main, String classPath, Path log, Progress progress, ServerTurns turns) {
    this.main = main;
    this.classPath = classPath;
    this.log = log;
    this.progress = progress;
    this.turns = turns;
  }

  /**
   * Of somebody's provider, with the provider's class path. Takes a {@link JudgeMessage.Order}.
   *
   * @param classPath the provider and the libraries it needs, entries as for {@code java -cp}
   * @param log gets what the provider and its libraries print
   * @param progress hears of each verdict
   */
  static JudgeProcess ofProvider(List<String> classPath, Path log, Progress progress) {
    List<String> entries = new ArrayList<>();
    // The kit's own come first: a provider's jar may have a copy of the API in it.
    entries.add(home(Locks.class));
    entries.add(home(Rules.class));
    entries.add(home(JudgeMain.class));
    entries.addAll(classPath);
    String joined = String.join(File.pathSeparator, entries);
    return new JudgeProcess(JudgeMain.class, joined, log, progress, new ServerTurns());
  }

  /**
   * Of a lock that this project knows, with the class path of this JVM. Takes a
   * {@link JudgeMessage.KnownLock}.
   *
   * @param log gets what the lock's libraries print
   * @param progress hears of each verdict
   * @param turns of those that are judged at the same time
   */
  static JudgeProcess ofKnownLock(Path log, Progress progress, ServerTurns turns) {
    String classPath = System.getProperty("java.class.path");
    return new JudgeProcess(KnownLockMain.class, classPath, log, progress, turns);
  }

  /**
   * Judges. Blocks until every rule has its verdict.
   *
   * @throws WrongArgumentsException if there is no such provider, it cannot be loaded, or the URI
   *     is wrong
   * @throws LockException if the backend cannot be used, or the JVM ends early
   */
  ProviderReport run(JudgeMessage order) throws IOException {
    Process process = fork();
    try (ObjectOutputStream out = new ObjectOutputStream(process.getOutputStream())) {
      send(out, order);
      return read(process, out);
    } catch (EOFException e) {
      throw new LockException("The JVM that judges ended early; what it said is in " + log + ".");
    } finally {
      end(process);
      turnEnds.run();
    }
  }

  private static void send(ObjectOutputStream out, JudgeMessage message) throws IOException {
    out.writeObject(message);
    out.flush();
  }

  private Process fork() throws IOException {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    // Its code is compiled quickly rather than well: several such JVMs share the processors.
    List<String> command =
        new ArrayList<>(List.of(java, "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.addAll(ChildJvm.NO_LOG_IN_ANSWERS);
    command.addAll(List.of("-cp", classPath, main.getName()));
    return new ProcessBuilder(command).redirectError(log.toFile()).start();
  }

  private ProviderReport read(Process process, ObjectOutputStream out) throws IOException {
    Map<String, RuleResult> results = new HashMap<>();
    try (ObjectInputStream in =
        new ObjectInputStream(new BufferedInputStream(process.getInputStream()))) {
      while (true) {
        JudgeMessage message = (JudgeMessage) in.readObject();
        if (message instanceof JudgeMessage.Judged judged) {
          RuleResult result = judged.result();
          results.put(result.id(), result);
          progress.finished(result);
        } else if (message instanceof JudgeMessage.Server server) {
          origin = server.origin();
          turnEnds = turns.await(server.address());
          progress.server(origin);
          send(out, new JudgeMessage.Go());
        } else if (message instanceof JudgeMessage.OneByOne) {
          progress.oneByOne();
        } else if (message instanceof JudgeMessage.Finished finished) {
          return report(finished, results);
        } else if (message instanceof JudgeMessage.Refused refused) {
          throw refused.wrongArguments()
              ? new WrongArgumentsException(refused.message())
              : new LockException(refused.message());
        }
      }
    } catch (ClassNotFoundException e) {
      throw new IOException("the JVM that judges is of another version", e);
    }
  }

  private ProviderReport report(JudgeMessage.Finished finished, Map<String, RuleResult> results) {
    List<RuleResult> inOrder = Rules.all().stream()
        .map(rule -> results.get(rule.id()))
        .filter(Objects::nonNull)
        .toList();
    ProviderReport report = new ProviderReport(
        finished.id(),
        finished.version(),
        finished.server(),
        origin,
        finished.capabilities(),
        inOrder,
        new Figures(),
        "");
    return report.withScales(finished.scales()).withOverlaps(Overlap.of(inOrder));
  }

  private static void end(Process process) {
    try {
      if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }

  static String home(Class<?> type) {
    try {
      return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI())
          .toString();
    } catch (URISyntaxException e) {
      throw new IllegalStateException("the place of " + type + " is malformed", e);
    }
  }
}
