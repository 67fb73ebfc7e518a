package dev.interlock.compare.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A native image has only those files of a jar that the jar names. */
class NativeImageTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Pattern GLOB = Pattern.compile("\"glob\": \"([^\"]+)\"");

  @Test
  void every_script_and_statement_of_a_provider_is_named() throws IOException {
    List<String> missing = new ArrayList<>();
    int seen = 0;
    try (Stream<Path> modules = Files.list(ROOT)) {
      for (Path module : modules.sorted().toList()) {
        Path resources = module.resolve("src/main/resources");
        if (!Files.exists(resources.resolve("META-INF/services/dev.interlock.spi.LockProvider"))) {
          continue;
        }
        List<PathMatcher> named = named(resources, module.getFileName().toString());
        try (Stream<Path> files = Files.walk(resources)) {
          for (Path file : files.filter(Files::isRegularFile).toList()) {
            Path inJar = resources.relativize(file);
            if (!inJar.startsWith("META-INF")) {
              seen++;
              if (named.stream().noneMatch(glob -> glob.matches(inJar))) {
                missing.add(module.getFileName() + ": " + inJar);
              }
            }
          }
        }
      }
    }
    assertThat(missing).isEmpty();
    assertThat(seen).isGreaterThan(20);
  }

  private static List<PathMatcher> named(Path resources, String module) throws IOException {
    Path file = resources
        .resolve("META-INF/native-image/dev.interlock")
        .resolve(module)
        .resolve("reachability-metadata.json");
    if (!Files.exists(file)) {
      return List.of();
    }
    return GLOB.matcher(Files.readString(file))
        .results()
        .map(glob -> FileSystems.getDefault().getPathMatcher("glob:" + glob.group(1)))
        .toList();
  }
}
