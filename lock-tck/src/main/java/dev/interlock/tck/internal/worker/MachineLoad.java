package dev.interlock.tck.internal.worker;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * How many threads of the whole machine run or wait for a processor. A heart beat does not tell: a
 * thread that sleeps most of the time is let in soon, however long those wait that have work to do.
 * Only Linux says it; any other machine counts as calm. Thread-safe.
 */
public final class MachineLoad {
  /** Up to so many threads for each processor keep it busy, and wait a moment only. */
  private static final double CALM = 3;

  /** From so many on a sound backend does in seconds what it does in tenths of one else. */
  private static final double OVERLOADED = 8;

  private static final String OVERLOAD =
      "the machine had more than %.0f threads for each processor".formatted(OVERLOADED);

  private static final Duration TICK = Duration.ofMillis(50);

  /** What is older counts for about a third: one that starts shows its load within this time. */
  private static final Duration SMOOTHING = Duration.ofSeconds(1);

  private static final Path RUNNING = Path.of("/proc/loadavg");
  private static final Path PROCESSORS = Path.of("/proc/stat");
  private static final MachineLoad INSTANCE = new MachineLoad();

  private volatile double average;

  private MachineLoad() {
    if (!Files.isReadable(RUNNING) || !Files.isReadable(PROCESSORS)) {
      return;
    }
    Thread thread = new Thread(this::look, "tck-machine-load");
    thread.setDaemon(true);
    thread.start();
  }

  /** Returns that of this machine, which is looked at from the first call on. */
  public static MachineLoad instance() {
    return INSTANCE;
  }

  /** Tells whether there is room for more work. */
  public boolean isCalm() {
    return average <= CALM;
  }

  /** Blocks until the machine is calm, or for the longest time. */
  public void awaitCalm(Duration longest) throws InterruptedException {
    long end = System.nanoTime() + longest.toNanos();
    while (!isCalm() && end - System.nanoTime() > 0) {
      Thread.sleep(TICK.toMillis());
    }
  }

  private void look() {
    try {
      // Not those that this JVM may use: what is counted is of the whole machine.
      int processors;
      try (Stream<String> lines = Files.lines(PROCESSORS)) {
        processors =
            Math.max(1, (int) lines.filter(line -> line.matches("cpu\\d.*")).count());
      }
      long before = System.nanoTime();
      long overloadedSince = before;
      double smoothed = 0;
      while (true) {
        LockSupport.parkNanos(TICK.toNanos());
        long now = System.nanoTime();
        double part = 1 - Math.exp(-(double) (now - before) / SMOOTHING.toNanos());
        before = now;
        smoothed += part * (running() / (double) processors - smoothed);
        average = smoothed;
        if (smoothed < OVERLOADED) {
          overloadedSince = now;
        } else {
          Stalls.instance().add(new Stall(OVERLOAD, now, now - overloadedSince));
        }
      }
    } catch (IOException e) {
      // As on a machine that does not tell.
    } finally {
      average = 0; // nothing is known any more
    }
  }

  /** Such as 3 in "0.50 0.40 0.30 3/412 9999". */
  private static int running() throws IOException {
    String[] words = Files.readString(RUNNING).split(" ", 5);
    return Integer.parseInt(words[3].substring(0, words[3].indexOf('/')));
  }
}
