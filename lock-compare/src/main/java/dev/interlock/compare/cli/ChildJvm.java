package dev.interlock.compare.cli;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A JVM with the class path of this one. It is told what to do through its standard input, so that
 * no password shows in the list of processes, and it ends when that input ends, so that it does not
 * outlive this JVM. Not thread-safe, but {@link #kill} may be called from any thread.
 */
public final class ChildJvm implements AutoCloseable {
  /**
   * For a JVM that answers through its standard output: its own log would be taken for an answer,
   * and goes there if the environment asks for one ({@code JAVA_TOOL_OPTIONS=-Xlog:gc}).
   */
  public static final List<String> NO_LOG_IN_ANSWERS =
      List.of("-Xlog:all=off:stdout", "-Xlog:all=warning:stderr");

  private static final int END_SECONDS = 10;

  private final Process process;
  private final BufferedWriter in;
  private final BufferedReader out;

  private ChildJvm(Process process) {
    this.process = process;
    this.in = process.outputWriter(StandardCharsets.UTF_8);
    this.out = process.inputReader(StandardCharsets.UTF_8);
  }

  /**
   * Starts one.
   *
   * @param arguments for the JVM, beside the usual ones
   */
  public static ChildJvm start(Class<?> main, String... arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1",
        "-Xmx128m"));
    command.addAll(NO_LOG_IN_ANSWERS);
    command.addAll(List.of(arguments));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    return new ChildJvm(new ProcessBuilder(command)
        .redirectError(ProcessBuilder.Redirect.DISCARD)
        .start());
  }

  public long pid() {
    return process.pid();
  }

  public void tell(String line) throws IOException {
    in.write(line);
    in.newLine();
    in.flush();
  }

  /** Reads the next line; at the end of its output there is an exception. */
  public String read() throws IOException {
    String line = out.readLine();
    if (line == null) {
      throw new IOException("a JVM started by the comparison ended early");
    }
    return line;
  }

  public void expect(String line) throws IOException {
    String found = read();
    if (!found.equals(line)) {
      throw new IOException("a JVM started by the comparison says: " + found);
    }
  }

  /** Ends it by SIGKILL and waits until it is gone. */
  public void kill() throws InterruptedException {
    process.destroyForcibly().waitFor(END_SECONDS, TimeUnit.SECONDS);
  }

  /** Suspends it by SIGSTOP. */
  public void pause() throws IOException, InterruptedException {
    signal("STOP");
  }

  /** Continues it by SIGCONT. */
  public void resume() throws IOException, InterruptedException {
    signal("CONT");
  }

  private void signal(String name) throws IOException, InterruptedException {
    Process sent = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start();
    if (!sent.waitFor(END_SECONDS, TimeUnit.SECONDS) || sent.exitValue() != 0) {
      throw new IOException("SIG" + name + " could not be sent to a JVM of the comparison");
    }
  }

  /** Asks it to end by ending its input, and kills it if it does not. */
  public void end() throws IOException, InterruptedException {
    in.close();
    if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
      kill();
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
