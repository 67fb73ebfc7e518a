package dev.interlock.quorum;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.interlock.tck.internal.history.Hold;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** A JVM that runs {@link ContenderMain}, as its parent sees it. */
final class Contender implements AutoCloseable {
  private static final long START_SECONDS = 60;

  private final Process process;
  private final Contest contest;
  private final CompletableFuture<Boolean> ready = new CompletableFuture<>();
  private final CompletableFuture<Boolean> stopped = new CompletableFuture<>();

  private Contender(Process process, Contest contest) {
    this.process = process;
    this.contest = contest;
  }

  /** Starts one that tells the contest what it does, and returns when its client is open. */
  static Contender start(
      String uri, String label, List<String> names, Duration lease, long seed, Contest contest)
      throws Exception {
    Process process = new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-Xmx256m",
            "-cp",
            System.getProperty("java.class.path"),
            ContenderMain.class.getName(),
            uri,
            label,
            String.join(",", names),
            lease.toString(),
            Long.toString(seed))
        .redirectError(ProcessBuilder.Redirect.DISCARD)
        .start();
    Contender contender = new Contender(process, contest);
    Thread reader = new Thread(contender::read, "contender-" + label);
    reader.setDaemon(true);
    reader.start();
    contender.ready.get(START_SECONDS, TimeUnit.SECONDS);
    return contender;
  }

  private void read() {
    try (BufferedReader lines = process.inputReader(UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        take(line, List.of(line.split("\t", -1)));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      IOException ended = new IOException("the JVM of a contender ended early");
      ready.completeExceptionally(ended);
      stopped.completeExceptionally(ended);
    }
  }

  private void take(String line, List<String> words) {
    switch (words.get(0)) {
      case ContenderMain.READY -> ready.complete(true);
      case ContenderMain.STOPPED -> stopped.complete(true);
      case ContenderMain.HOLD ->
        contest.add(new Hold(
            words.get(1),
            words.get(2),
            Long.parseLong(words.get(3)),
            Long.parseLong(words.get(4)),
            Long.parseLong(words.get(5)),
            Long.parseLong(words.get(6))));
      case ContenderMain.SLOW -> contest.addSlow(Long.parseLong(words.get(3)), line);
      default -> contest.addWrong(line);
    }
  }

  /** Lets it end, which no call of it may keep from happening; null if all went well. */
  @Nullable
  String stop(Duration limit) throws Exception {
    process.getOutputStream().close();
    try {
      stopped.get(limit.toMillis(), TimeUnit.MILLISECONDS);
      return null;
    } catch (TimeoutException e) {
      return "a call has not ended after " + limit;
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
