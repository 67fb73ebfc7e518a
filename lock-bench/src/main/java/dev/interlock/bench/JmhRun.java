package dev.interlock.bench;

import dev.interlock.bench.subjects.Subject;
import dev.interlock.measure.server.ServerAddress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.format.ResultFormatType;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/**
 * Runs the JMH benchmarks, each in a JVM of its own. They follow one another, so ratios between
 * them hold less well than those of the interleaved run.
 */
final class JmhRun {
  private JmhRun() {}

  /**
   * Runs them; JMH prints to standard output.
   *
   * @param directory where {@code jmh.json} is written
   * @return the file
   */
  static Path run(ServerAddress server, List<Subject> subjects, boolean quick, Path directory)
      throws IOException, RunnerException {
    Files.createDirectories(directory);
    // A file, since JMH prints the arguments of its JVMs, and the address may hold a password.
    Path address = Files.createTempFile("interlock-bench", ".server");
    try {
      Files.writeString(address, server.uri("redis"));
      Path result = directory.resolve("jmh.json");
      new Runner(options(address, subjects, quick, result)).run();
      return result;
    } finally {
      Files.delete(address);
    }
  }

  private static Options options(Path address, List<Subject> subjects, boolean quick, Path result) {
    return new OptionsBuilder()
        .include(UncontendedBenchmark.class.getName())
        .include(LockedCallBenchmark.class.getName())
        .addProfiler(GCProfiler.class)
        .param("subject", subjects.stream().map(Subject::id).toArray(String[]::new))
        .jvmArgsAppend("-D" + UncontendedBenchmark.SERVER_FILE + "=" + address)
        .warmupIterations(quick ? 2 : 5)
        .warmupTime(TimeValue.seconds(1))
        .measurementIterations(quick ? 3 : 10)
        .measurementTime(TimeValue.seconds(1))
        .resultFormat(ResultFormatType.JSON)
        .result(result.toString())
        .build();
  }
}
