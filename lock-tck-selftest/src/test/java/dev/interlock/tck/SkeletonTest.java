package dev.interlock.tck;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The skeleton for authors of backends compiles without a warning, and the rules that fail lead
 * from it to a finished backend: each says which method is to be written next, and passes once it
 * is.
 */
class SkeletonTest {
  private static final Path SKELETON = Path.of("../examples/skeleton/src");
  private static final String BACKEND = "AcmeBackend.java";
  private static final String PROVIDER = "AcmeProvider.java";

  /** What somebody writes whose store is a map in this JVM. */
  private static final Map<String, String> WRITTEN = new LinkedHashMap<>();

  static {
    WRITTEN.put("1. attempt", """
        synchronized (HELD) {
          Hold held = held(attempt.name());
          long now = System.nanoTime();
          if (held != null && !held.id().equals(attempt.id())) {
            return AttemptResult.busy(Duration.ofMillis(20));
          }
          long end = now + attempt.lease().toNanos();
          long until = held == null ? end : Math.max(end, held.until());
          HELD.put(attempt.name(), new Hold(attempt.id(), attempt.owner(), until));
          return AttemptResult.granted(attempt, 0);
        }
        """);
    WRITTEN.put("1. release", """
        synchronized (HELD) {
          Hold held = held(name);
          return held != null && held.id().equals(id) && HELD.remove(name) != null;
        }
        """);
    WRITTEN.put("1. inspect", """
        synchronized (HELD) {
          return Optional.ofNullable(held(name)).map(held -> HoldInfo.of(
              name,
              held.owner(),
              client.host(),
              java.time.Instant.now(),
              Duration.ofNanos(held.until() - System.nanoTime()),
              0,
              0));
        }
        """);
    WRITTEN.put("1. abandon", "release(name, id);\n");
    WRITTEN.put("4. renew", """
        for (Renewal renewal : batch) {
          synchronized (HELD) {
            Hold held = held(renewal.name());
            boolean there = held != null && held.id().equals(renewal.id());
            if (there) {
              long end = System.nanoTime() + renewal.lease().toNanos();
              HELD.put(
                  renewal.name(),
                  new Hold(held.id(), held.owner(), Math.max(end, held.until())));
            }
            answers.answer(
                renewal,
                there
                    ? dev.interlock.spi.RenewalResult.held(renewal, 0)
                    : dev.interlock.spi.RenewalResult.gone());
          }
        }
        """);
    WRITTEN.put("5. forceRelease", """
        synchronized (HELD) {
          return held(name) != null && HELD.remove(name) != null;
        }
        """);
  }

  /** A rule of the step, which says what is to be written before, and passes after. */
  private static final Map<String, String> RULES = Map.of(
      "1. attempt", "X3",
      "1. release", "X3",
      "1. inspect", "X3",
      "1. abandon", "O1",
      "4. renew", "N1",
      "5. forceRelease", "M2");

  private static final String STORE = """
        private static final java.util.Map<String, Hold> HELD = new java.util.HashMap<>();

        private record Hold(HoldId id, String owner, long until) {}

        private static Hold held(String name) {
          Hold held = HELD.get(name);
          return held == null || held.until() - System.nanoTime() <= 0 ? null : held;
        }
      """;

  @TempDir
  private Path directory;

  @Test
  void itCompilesWithoutAWarning() throws IOException {
    compile(Set.of(), false);
  }

  @Tag("thorough")
  @Test
  void theRulesThatFailLeadToAFinishedBackend() throws Exception {
    List<String> steps = List.copyOf(WRITTEN.keySet());
    for (int i = 0; i < steps.size(); i++) {
      String step = steps.get(i);
      String rule = RULES.get(step);
      boolean renewable = i >= steps.indexOf("4. renew");
      compile(Set.copyOf(steps.subList(0, i)), renewable);
      RuleResult before = judge(rule);
      assertThat(before.verdict()).as("" + before).isEqualTo(Verdict.FAIL);
      assertThat("" + before).contains("step " + step + " is to be written");
      if (i + 1 == steps.size() || !rule.equals(RULES.get(steps.get(i + 1)))) {
        compile(Set.copyOf(steps.subList(0, i + 1)), renewable);
        RuleResult after = judge(rule);
        assertThat(after.verdict()).as("" + after).isEqualTo(Verdict.PASS);
      }
    }
  }

  private RuleResult judge(String rule) throws Exception {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    URL[] compiled = {directory.toUri().toURL()};
    try (URLClassLoader loader = new URLClassLoader(compiled, before)) {
      thread.setContextClassLoader(loader);
      return TckRunner.of(TckBackend.at("acme://localhost").inOneJvm().timeScale(2.0))
          .effort(Effort.QUICK)
          .only(Set.of(rule))
          .run()
          .rule(rule)
          .orElseThrow();
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  /** Compiles it with some of its methods written. */
  private void compile(Set<String> written, boolean renewable) throws IOException {
    Path sources = directory.resolve("src");
    List<Path> files = new ArrayList<>();
    try (Stream<Path> all = Files.walk(SKELETON)) {
      for (Path file : all.filter(path -> path.toString().endsWith(".java")).toList()) {
        Path copy = sources.resolve(SKELETON.relativize(file).toString());
        Files.createDirectories(copy.getParent());
        Files.writeString(copy, edited(file, written, renewable));
        files.add(copy);
      }
    }
    Path service = directory.resolve("META-INF/services/dev.interlock.spi.LockProvider");
    Files.createDirectories(service.getParent());
    Files.writeString(
        service,
        Files.readString(
            SKELETON.resolve("main/resources/META-INF/services/dev.interlock.spi.LockProvider")));
    List<String> options = List.of(
        "--release",
        "17",
        "-Xlint:all,-processing,-classfile,-path",
        "-Werror",
        "-proc:none",
        "-d",
        directory.toString(),
        "-cp",
        System.getProperty("java.class.path"));
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter said = new StringWriter();
    try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null)) {
      boolean done = compiler
          .getTask(said, manager, null, options, null, manager.getJavaFileObjectsFromPaths(files))
          .call();
      assertThat(done).as(said.toString()).isTrue();
    }
  }

  private static String edited(Path file, Set<String> written, boolean renewable)
      throws IOException {
    String source = Files.readString(file);
    if (file.endsWith(PROVIDER) && renewable) {
      return source.replace("return Set.of();", "return Set.of(Capability.RENEWABLE);");
    }
    if (!file.endsWith(BACKEND) || written.isEmpty()) {
      return source;
    }
    for (String step : written) {
      source = source.replace("throw toWrite(\"%s\");".formatted(step), WRITTEN.get(step));
    }
    int end = source.lastIndexOf('}');
    return source
            .substring(0, end)
            .replace("import java.util.List;", "import java.time.Duration;\nimport java.util.List;")
        + STORE + "}\n";
  }
}
