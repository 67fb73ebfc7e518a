package dev.interlock.redis.hash.internal.backend;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** A JVM that runs {@link WaitingMain} or {@link HoldingMain}, as its parent sees it. */
final class WaitingJvm implements AutoCloseable {
  private final Process process;
  private final BufferedWriter in;
  private final BufferedReader out;

  private WaitingJvm(Process process) {
    this.process = process;
    this.in = process.outputWriter(UTF_8);
    this.out = process.inputReader(UTF_8);
  }

  /**
   * Starts one.
   *
   * @param clients how many clients its waiters are spread over
   */
  static WaitingJvm start(String uri, int clients) throws IOException {
    return start(WaitingMain.class, uri, clients);
  }

  /**
   * Starts one that runs {@link HoldingMain}.
   *
   * @param permits how many it holds; 1 for a reader
   */
  static WaitingJvm holding(String uri, int permits) throws IOException {
    return start(HoldingMain.class, uri, permits);
  }

  private static WaitingJvm start(Class<?> main, String uri, int number) throws IOException {
    WaitingJvm jvm = new WaitingJvm(new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            main.getName())
        .redirectError(ProcessBuilder.Redirect.DISCARD)
        .start());
    jvm.tell(uri);
    jvm.tell(Integer.toString(number));
    return jvm;
  }

  /** Lets a waiter with this number queue; does not wait until it has. */
  void queue(int number) throws IOException {
    tell(Integer.toString(number));
  }

  private void tell(String line) throws IOException {
    in.write(line);
    in.newLine();
    in.flush();
  }

  /** The next report: of a hold, or at the beginning that it is ready. */
  String read() throws IOException {
    String line = out.readLine();
    if (line == null) {
      throw new IOException("the JVM of the waiters ended early");
    }
    return line;
  }

  /** Ends it by SIGKILL, and waits until it is gone. */
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
