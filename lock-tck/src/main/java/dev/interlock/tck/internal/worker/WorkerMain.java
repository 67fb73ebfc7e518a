package dev.interlock.tck.internal.worker;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/**
 * The main class of a worker JVM. Reads requests from standard input and writes answers to standard
 * output; ends when the input ends, so that no worker outlives the kit.
 */
public final class WorkerMain {
  private final ObjectOutputStream out;
  private final Map<String, WorkerSpace> spaces = new ConcurrentHashMap<>();
  private final ExecutorService closers = Executors.newCachedThreadPool();

  private WorkerMain(ObjectOutputStream out) {
    this.out = out;
  }

  public static void main(String[] arguments) throws IOException, ClassNotFoundException {
    OutputStream stdout = new BufferedOutputStream(System.out);
    // Whatever a library prints must not get between the answers.
    System.setOut(new PrintStream(System.err, true));
    ObjectOutputStream out = new ObjectOutputStream(stdout);
    out.flush();
    try (ObjectInputStream in = new ObjectInputStream(new BufferedInputStream(System.in))) {
      WorkerMain worker = new WorkerMain(out);
      HeartBeat.start("a worker JVM", worker::tell);
      worker.serve(in);
    } finally {
      // At once, and without closing anything: for the server it is a crash, as in real life.
      Runtime.getRuntime().halt(0);
    }
  }

  private void serve(ObjectInputStream in) throws IOException, ClassNotFoundException {
    while (true) {
      Message message;
      try {
        message = (Message) in.readUnshared();
      } catch (java.io.EOFException e) {
        return;
      }
      if (message instanceof Message.Run run) {
        WorkerSpace space =
            spaces.computeIfAbsent(run.space(), key -> new WorkerSpace(key, run.opener()));
        space.thread(run.thread()).execute(() -> perform(run, space));
      } else if (message instanceof Message.Close close) {
        closers.execute(() -> close(close));
      } else if (message instanceof Message.Clock clock) {
        reply(clock.id(), System.nanoTime(), null);
      } else if (message instanceof Message.Calls calls) {
        WorkerSpace space = spaces.get(calls.space());
        reply(
            calls.id(),
            space == null ? List.of() : space.trace().calls(calls.from(), calls.to(), calls.lock()),
            null);
      }
    }
  }

  private void perform(Message.Run run, WorkerSpace space) {
    try {
      reply(run.id(), run.task().run(space), null);
    } catch (Throwable t) {
      reply(run.id(), null, t);
    }
  }

  private void close(Message.Close close) {
    WorkerSpace space = spaces.remove(close.space());
    try {
      if (space != null) {
        space.close();
      }
      reply(close.id(), null, null);
    } catch (RuntimeException e) {
      reply(close.id(), null, e);
    }
  }

  private synchronized void tell(Stall stall) {
    try {
      out.writeUnshared(new Message.Stood(stall));
      out.reset();
      out.flush();
    } catch (IOException e) {
      Runtime.getRuntime().halt(1);
    }
  }

  private synchronized void reply(long id, @Nullable Object value, @Nullable Throwable error) {
    try {
      try {
        out.writeUnshared(new Message.Reply(id, value, error));
      } catch (java.io.NotSerializableException e) {
        out.reset();
        out.writeUnshared(
            new Message.Reply(id, null, new IllegalStateException(value + " " + error)));
      }
      out.reset();
      out.flush();
    } catch (IOException e) {
      Runtime.getRuntime().halt(1);
    }
  }
}
