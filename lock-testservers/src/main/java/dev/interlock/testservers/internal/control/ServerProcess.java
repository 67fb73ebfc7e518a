package dev.interlock.testservers.internal.control;

import dev.interlock.testservers.TestServerException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A server program of any kind, run any number of times in one private directory.
 *
 * <p>An interrupt ends only a wait for the server to be ready, and no other change.
 */
public final class ServerProcess implements ServerControl {
  private static final Duration POLL = Duration.ofMillis(10);

  /** What mariadb-install-db prints after the error that ended it, and more. */
  private static final int LOG_LINES = 50;

  private static final Set<ServerProcess> OPEN = ConcurrentHashMap.newKeySet();

  static {
    // Servers that run at the end of the JVM would end without this; it is for the directories of
    // those that are down at the time.
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(() -> OPEN.forEach(ServerProcess::close), "interlock-testservers-cleanup"));
  }

  private final PrivateDirectory home;
  private final List<String> command;
  private final String stopSignal;
  private final ReentrantLock lock = new ReentrantLock();
  private @Nullable ServerRun run;
  private boolean closed;

  /**
   * Prepares a server; {@link #start} runs it.
   *
   * @param home its directory, deleted at close
   * @param command the program and its arguments; it has to stay in the foreground
   * @param stopSignal what it takes as a request to end in an orderly way, such as TERM
   */
  public ServerProcess(PrivateDirectory home, List<String> command, String stopSignal) {
    this.home = home;
    this.command = List.copyOf(command);
    this.stopSignal = stopSignal;
    OPEN.add(this);
  }

  @Override
  public boolean isOurs() {
    return true;
  }

  @Override
  public void start(Duration limit, BooleanSupplier ready) {
    change(() -> running()
        .ifPresentOrElse(ServerRun::resume, () -> run = ServerRun.start(home.path(), command)));
    awaitReady(limit, ready);
  }

  private void awaitReady(Duration limit, BooleanSupplier ready) {
    ServerRun current = locked(this::needRun);
    long start = System.nanoTime();
    try {
      while (!Readiness.look(ready)) {
        if (current.awaitEnd(POLL)) {
          throw notReady("ended with status " + current.exitStatus());
        }
        if (System.nanoTime() - start > limit.toNanos()) {
          throw notReady("was not ready after " + limit.toSeconds() + " s");
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw notReady("was not ready when the thread was interrupted");
    }
  }

  /** The process id of the server's current or last run. */
  public long pid() {
    return locked(() -> needRun().pid());
  }

  @Override
  public void pause() {
    change(() -> running()
        .orElseThrow(() -> new IllegalStateException("The server is not running."))
        .pause());
  }

  @Override
  public void resume() {
    change(() -> running().ifPresent(ServerRun::resume));
  }

  @Override
  public void stop(Duration grace) {
    change(() -> running().ifPresent(current -> current.stop(stopSignal, grace)));
  }

  @Override
  public void kill() {
    change(() -> running().ifPresent(ServerRun::kill));
  }

  /** The last lines that the server printed. */
  private String logTail() {
    try {
      String log =
          Files.readString(home.path().resolve(ServerRun.LOG), StandardCharsets.ISO_8859_1);
      List<String> lines = log.lines().toList();
      return String.join("\n", lines.subList(Math.max(0, lines.size() - LOG_LINES), lines.size()));
    } catch (IOException e) {
      return "(no log: " + e + ")";
    }
  }

  @Override
  public void close() {
    locked(() -> {
      if (!closed) {
        closed = true;
        running().ifPresent(ServerRun::kill);
        home.delete();
        OPEN.remove(this);
      }
      return closed;
    });
  }

  private void change(Runnable change) {
    locked(() -> {
      if (closed) {
        throw new IllegalStateException("The server is closed.");
      }
      change.run();
      return closed;
    });
  }

  private <T> T locked(Supplier<T> access) {
    lock.lock();
    try {
      return access.get();
    } finally {
      lock.unlock();
    }
  }

  private Optional<ServerRun> running() {
    return Optional.ofNullable(run).filter(ServerRun::isAlive);
  }

  private ServerRun needRun() {
    ServerRun current = run;
    if (current == null) {
      throw new IllegalStateException("The server was never started.");
    }
    return current;
  }

  private TestServerException notReady(String fault) {
    return new TestServerException(
        command.get(0) + " " + fault + ". The end of its log:\n" + logTail().indent(2));
  }
}
