package dev.interlock.testservers.internal.control;

import dev.interlock.testservers.TestServerException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * One run of a server program, from its start to its end.
 *
 * <p>Between the JVM and the server stands a shell (supervise.sh) at the far end of a pipe from the
 * JVM. Whatever ends the JVM also closes the pipe, and the shell then kills the server, even a
 * paused one, and deletes its directory. Signals go to the server itself, not to the shell.
 */
public final class ServerRun {
  /** The file in the server's directory that collects what it prints. */
  static final String LOG = "server.log";

  private static final Duration SIGNAL_TAKES_EFFECT = Duration.ofSeconds(10);
  private static final Duration POLL = Duration.ofMillis(2);
  private static final String SUPERVISE = "supervise.sh";

  /**
   * Prints the processes that the signal did not reach. By the shell's own kill, because the
   * program of that name is not installed everywhere.
   */
  private static final String SIGNAL = "name=$1; shift; for process; do"
      + " kill -\"$name\" \"$process\" 2>/dev/null || echo \"$process\"; done";

  private final Process supervisor;
  private final long pid;

  private ServerRun(Process supervisor, long pid) {
    this.supervisor = supervisor;
    this.pid = pid;
  }

  static ServerRun start(Path home, List<String> command) {
    try {
      Process supervisor = supervise(home, command);
      try (BufferedReader output = supervisor.inputReader(StandardCharsets.US_ASCII)) {
        String pid = output.readLine();
        if (pid == null) {
          throw new TestServerException("/bin/sh could not run " + command.get(0) + ".");
        }
        return new ServerRun(supervisor, Long.parseLong(pid));
      }
    } catch (IOException e) {
      throw new TestServerException(command.get(0) + " cannot be run.", e);
    }
  }

  private static Process supervise(Path home, List<String> command) throws IOException {
    Path script = home.resolve(SUPERVISE);
    try (InputStream in = ServerRun.class.getResourceAsStream(SUPERVISE)) {
      Files.copy(
          Objects.requireNonNull(in, SUPERVISE), script, StandardCopyOption.REPLACE_EXISTING);
    }
    List<String> line = new ArrayList<>(List.of("/bin/sh", script.toString(), home.toString()));
    line.addAll(command);
    ProcessBuilder builder = new ProcessBuilder(line)
        .directory(home.toFile())
        .redirectError(Redirect.appendTo(home.resolve(LOG).toFile()));
    // Some servers refuse to start under a locale that is named but not installed.
    builder.environment().put("LC_ALL", "C");
    return Shell.withUsualPath(builder).start();
  }

  long pid() {
    return pid;
  }

  boolean isAlive() {
    return supervisor.isAlive();
  }

  /** The server's status, once it has ended. */
  int exitStatus() {
    return supervisor.exitValue();
  }

  boolean awaitEnd(Duration limit) throws InterruptedException {
    return supervisor.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Suspends the server, and those of its processes that do work for it. */
  void pause() {
    suspend(List.of(pid));
    // Only now, since a server that runs may start more of them.
    suspend(pids(children()));
  }

  private void suspend(List<Long> processes) {
    signal("STOP", processes);
    long start = System.nanoTime();
    for (long process : processes) {
      while (!isAtRest(process) && !endsWithin(POLL)) {
        if (System.nanoTime() - start > SIGNAL_TAKES_EFFECT.toNanos()) {
          throw new TestServerException("Process " + process + " does not stop.");
        }
      }
    }
  }

  void resume() {
    signal("CONT", pids(children()));
    signal("CONT", List.of(pid));
  }

  /** Asks the server to end. */
  void stop(String signal, Duration grace) {
    resume();
    signal(signal, List.of(pid));
    if (!endsWithin(grace)) {
      kill();
    }
  }

  void kill() {
    List<ProcessHandle> children = children();
    ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
    children.forEach(ProcessHandle::destroyForcibly);
    if (!endsWithin(SIGNAL_TAKES_EFFECT)) {
      throw new TestServerException("Process " + pid + " survived SIGKILL.");
    }
    // The next run must not find one of them at its files.
    long start = System.nanoTime();
    while (!children.stream().allMatch(child -> hasEnded(child.pid()))
        && System.nanoTime() - start < SIGNAL_TAKES_EFFECT.toNanos()) {
      LockSupport.parkNanos(POLL.toNanos());
    }
  }

  private List<ProcessHandle> children() {
    return ProcessHandle.of(pid).map(ProcessHandle::children).stream()
        .flatMap(all -> all)
        .toList();
  }

  private static List<Long> pids(List<ProcessHandle> processes) {
    return processes.stream().map(ProcessHandle::pid).toList();
  }

  /** One program for all of them: on a busy machine each takes long to start. */
  private void signal(String name, List<Long> processes) {
    if (processes.isEmpty()) {
      return;
    }
    List<String> command = new ArrayList<>(List.of("/bin/sh", "-c", SIGNAL, "signal", name));
    processes.forEach(process -> command.add(process.toString()));
    for (String unreached : Shell.run(command.toArray(String[]::new)).lines().toList()) {
      long process = Long.parseLong(unreached);
      boolean ended = process == pid
          ? endsWithin(SIGNAL_TAKES_EFFECT)
          : !ProcessHandle.of(process).map(ProcessHandle::isAlive).orElse(false);
      if (!ended) {
        throw new TestServerException("Process " + process + " cannot be sent SIG" + name + ".");
      }
    }
  }

  /** Whether a process is suspended, or has ended. */
  private static boolean isAtRest(long process) {
    return "TZX".indexOf(state(process)) >= 0;
  }

  /**
   * Whether a process has ended. It may still be listed then, until its parent looks, which a
   * suspended parent does not.
   */
  public static boolean hasEnded(long process) {
    return "ZX".indexOf(state(process)) >= 0;
  }

  /** The state of a process as the kernel and {@code ps} abbreviate it, X for one that is gone. */
  private static char state(long process) {
    Path stat = Path.of("/proc", Long.toString(process), "stat");
    try {
      if (Files.exists(stat)) {
        // "pid (name) state ...": the name may have blanks and parentheses of its own.
        String line = Files.readString(stat, StandardCharsets.ISO_8859_1);
        return line.charAt(line.lastIndexOf(')') + 2);
      }
    } catch (IOException ended) {
      return 'X';
    }
    if (!ProcessHandle.of(process).map(ProcessHandle::isAlive).orElse(false)) {
      return 'X';
    }
    String state = Shell.run("ps", "-o", "state=", "-p", Long.toString(process)).strip();
    return state.isEmpty() ? 'X' : state.charAt(0);
  }

  private boolean endsWithin(Duration limit) {
    return Shell.endsWithin(supervisor, limit);
  }
}
