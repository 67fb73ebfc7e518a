package dev.interlock.bench;

import dev.interlock.bench.subjects.Subject;
import dev.interlock.bench.subjects.Subjects;
import dev.interlock.measure.SectionClient;
import dev.interlock.measure.SectionLock;
import dev.interlock.measure.server.ServerAddress;
import dev.interlock.measure.server.ServerKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** JMH: one thread acquires and releases a lock that nobody else wants. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
public class UncontendedBenchmark {
  /** The system property with the file that the server's address is in. */
  static final String SERVER_FILE = "interlock.bench.server.file";

  /** The id of what is measured; {@link JmhRun} replaces these by what is on the class path. */
  @Param({"floor"})
  public String subject = "";

  private @Nullable SectionClient client;
  private @Nullable SectionLock lock;

  /**
   * Opens the subject.
   *
   * @throws IOException if the server's address cannot be read
   */
  @Setup
  public void open() throws IOException {
    String address = Files.readString(Path.of(System.getProperty(SERVER_FILE, "")));
    Subject measured = Subjects.forJmh().stream()
        .filter(one -> one.id().equals(subject))
        .findFirst()
        .orElseThrow();
    client = measured.factory().open(ServerAddress.parse(ServerKind.REDIS, address), 1);
    lock = client.lock("bench:jmh:" + subject);
  }

  /** Closes the subject. */
  @TearDown
  public void close() {
    if (client != null) {
      client.close();
    }
  }

  /**
   * Acquires and releases.
   *
   * @throws InterruptedException if the run is interrupted
   */
  @Benchmark
  public void acquireAndRelease() throws InterruptedException {
    SectionLock section = lock;
    if (section != null) {
      section.lock();
      section.unlock();
    }
  }
}
