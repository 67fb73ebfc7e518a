package dev.interlock.contract;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A JVM that runs {@link KilledHolderMain}, as its parent sees it. */
final class KilledHolder implements AutoCloseable {
  private final Process process;
  private final BufferedWriter in;
  private final BufferedReader out;

  /**
   * What it holds.
   *
   * @param permits how many; 0 for none
   * @param reads whether it is a reader
   * @param busy whether it also takes and gives back, all the time
   */
  record Part(int permits, boolean reads, boolean busy) {
    static Part parse(String line) {
      List<String> words = List.of(line.split(" ", -1));
      return new Part(
          Integer.parseInt(words.get(0)),
          Boolean.parseBoolean(words.get(1)),
          Boolean.parseBoolean(words.get(2)));
    }

    String line() {
      return permits + " " + reads + " " + busy;
    }
  }

  private KilledHolder(Process process) {
    this.process = process;
    this.in = process.outputWriter(UTF_8);
    this.out = process.inputReader(UTF_8);
  }

  /** Starts one, whose client opens meanwhile. */
  static KilledHolder start(String uri) throws IOException {
    KilledHolder holder = new KilledHolder(new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-Xmx64m",
            "-cp",
            System.getProperty("java.class.path"),
            KilledHolderMain.class.getName())
        .redirectError(ProcessBuilder.Redirect.DISCARD)
        .start());
    holder.tell(uri);
    return holder;
  }

  void awaitOpen() throws IOException {
    read();
  }

  /**
   * Lets it hold this.
   *
   * @return until when its leases last at the least, by {@link System#nanoTime()}
   */
  long hold(Part part) throws IOException {
    tell(part.line());
    return Long.parseLong(read());
  }

  private void tell(String line) throws IOException {
    in.write(line);
    in.newLine();
    in.flush();
  }

  private String read() throws IOException {
    String line = out.readLine();
    if (line == null) {
      throw new IOException("the JVM of a holder ended early");
    }
    return line;
  }

  /** Whether it ends by itself once its input has ended, as it does when this JVM is gone. */
  boolean endsWithItsInput() throws IOException, InterruptedException {
    in.close();
    return process.waitFor(60, TimeUnit.SECONDS);
  }

  /** Ends it by SIGKILL, and waits until it is gone. */
  void kill() throws InterruptedException {
    if (!process.destroyForcibly().waitFor(60, TimeUnit.SECONDS)) {
      throw new IllegalStateException("a JVM does not end by SIGKILL");
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
