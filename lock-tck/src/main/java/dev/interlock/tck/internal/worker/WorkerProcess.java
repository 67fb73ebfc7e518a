package dev.interlock.tck.internal.worker;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/** A forked JVM with {@link WorkerMain} in it. Thread-safe. */
final class WorkerProcess {
  private static final int KEPT_LINES = 20;
  private static final Set<Process> RUNNING = ConcurrentHashMap.newKeySet();

  static {
    // They end by themselves once nobody speaks to them, except those that are stopped just then.
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(() -> RUNNING.forEach(Process::destroyForcibly), "tck-worker-cleanup"));
  }

  private final Process process;
  private final boolean plain;
  private final ObjectOutputStream out;
  private final AtomicLong ids = new AtomicLong();
  private final Map<Long, CompletableFuture<@Nullable Object>> open = new ConcurrentHashMap<>();
  private final Deque<String> lastLines = new ArrayDeque<>();
  private volatile boolean dead;

  private volatile Use use;

  /** By one rule after the other, or by all at the same time. */
  private static final class Use {
    private final String owner;
    private final long since = System.nanoTime();

    // The rule has stopped it, so that it stands still on purpose.
    private volatile boolean stopped;

    private Use(String owner) {
      this.owner = owner;
    }
  }

  private WorkerProcess(Process process, String owner, boolean plain) throws IOException {
    this.process = process;
    this.use = new Use(owner);
    this.plain = plain;
    RUNNING.add(process);
    thread("tck-worker-log", this::readLog);
    this.out = new ObjectOutputStream(new BufferedOutputStream(process.getOutputStream()));
    out.flush();
    thread("tck-worker-answers", this::readAnswers);
  }

  /**
   * Forks a JVM with the class path of this one.
   *
   * @param owner the run of a rule that it is for; empty if several share it
   */
  static WorkerProcess fork(String owner, List<String> jvmArguments) {
    List<String> command = new ArrayList<>();
    command.add(System.getProperty("java.home") + File.separator + "bin" + File.separator + "java");
    command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto"));
    // What the environment has the JVM log would be taken for an answer.
    command.addAll(List.of("-Xlog:all=off:stdout", "-Xlog:all=warning:stderr"));
    command.addAll(List.of("-Xmx256m", "-Dfile.encoding=UTF-8", "-cp", ClassPath.ofThisJvm()));
    command.addAll(jvmArguments);
    command.addAll(Debugging.jvmArguments());
    command.add(WorkerMain.class.getName());
    try {
      boolean plain = jvmArguments.isEmpty();
      return new WorkerProcess(new ProcessBuilder(command).start(), owner, plain);
    } catch (IOException e) {
      throw new WorkerFailedException("a worker JVM could not be started", e);
    }
  }

  <T extends @Nullable Object> CompletableFuture<T> send(LongFunction<Message> message) {
    long id = ids.incrementAndGet();
    CompletableFuture<@Nullable Object> answer = new CompletableFuture<>();
    open.put(id, answer);
    try {
      synchronized (out) {
        out.writeUnshared(message.apply(id));
        out.reset();
        out.flush();
      }
    } catch (java.io.NotSerializableException e) {
      throw new UncheckedIOException("a task captures what cannot travel", e);
    } catch (IOException e) {
      die();
    }
    if (dead) {
      die();
    }
    @SuppressWarnings("unchecked") // the task that the answer belongs to says so
    CompletableFuture<T> typed = (CompletableFuture<T>) answer;
    return typed;
  }

  /** Begins to belong to another run of a rule. */
  WorkerProcess usedBy(String owner) {
    use = new Use(owner);
    return this;
  }

  /** Tells whether it could serve another rule: it has no settings of its own, and owes nothing. */
  boolean isReusable() {
    return plain && isAlive() && open.isEmpty();
  }

  /**
   * Sends a signal by name: STOP, CONT or KILL. How it stands still is not noted from now on, as
   * long as it is used by the same rule.
   */
  void signal(String signal) {
    use.stopped = true;
    try {
      Process kill = new ProcessBuilder("kill", "-" + signal, Long.toString(pid()))
          .redirectErrorStream(true)
          .start();
      if (!kill.waitFor(10, TimeUnit.SECONDS) || kill.exitValue() != 0) {
        throw new WorkerFailedException("kill -" + signal + " of a worker failed");
      }
    } catch (IOException e) {
      throw new WorkerFailedException("kill -" + signal + " of a worker failed", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new WorkerFailedException("interrupted in kill -" + signal + " of a worker", e);
    }
  }

  long pid() {
    return process.pid();
  }

  boolean isAlive() {
    return !dead && process.isAlive();
  }

  void destroy() {
    process.destroyForcibly();
    RUNNING.remove(process);
    try {
      process.waitFor(10, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void readAnswers() {
    try (ObjectInputStream in =
        new ObjectInputStream(new BufferedInputStream(process.getInputStream()))) {
      while (true) {
        Object message = in.readUnshared();
        if (message instanceof Message.Reply reply) {
          answer(reply);
        } else if (message instanceof Message.Stood stood) {
          note(stood.stall());
        }
      }
    } catch (IOException | ClassNotFoundException e) {
      // The JVM has ended, or what it writes makes no sense: it is of no more use either way.
    }
    die();
  }

  private void note(Stall stall) {
    Use current = use;
    // What began before is of the rule before.
    if (!current.stopped && stall.end() - stall.nanos() - current.since > 0) {
      Stalls.instance().add(stall.of(current.owner));
    }
  }

  private void answer(Message.Reply reply) {
    CompletableFuture<@Nullable Object> answer = open.remove(reply.id());
    if (answer == null) {
      return;
    }
    if (reply.error() == null) {
      answer.complete(reply.value());
    } else {
      answer.completeExceptionally(reply.error());
    }
  }

  private void die() {
    dead = true;
    String said;
    synchronized (lastLines) {
      said = String.join("\n", lastLines);
    }
    WorkerFailedException reason =
        new WorkerFailedException("the worker JVM ended" + (said.isEmpty() ? "" : ":\n" + said));
    open.values().forEach(answer -> answer.completeExceptionally(reason));
    open.clear();
  }

  private void readLog() {
    try (BufferedReader log = process.errorReader(StandardCharsets.UTF_8)) {
      for (String line = log.readLine(); line != null; line = log.readLine()) {
        synchronized (lastLines) {
          lastLines.addLast(line);
          if (lastLines.size() > KEPT_LINES) {
            lastLines.removeFirst();
          }
        }
      }
    } catch (IOException e) {
      // The process has ended.
    }
  }

  private static void thread(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setDaemon(true);
    thread.start();
  }
}
