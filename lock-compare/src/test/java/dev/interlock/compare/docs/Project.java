package dev.interlock.compare.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The files of the project. */
final class Project {
  static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  /** Modules that are programs and not part of an application. */
  private static final Pattern TOOLS =
      Pattern.compile("^(lock-(cli|compare|bench|measure|tck|testservers)|examples/)");

  private Project() {}

  static List<Path> find(String ending) {
    try (Stream<Path> files = Files.walk(ROOT)) {
      return files
          .filter(file -> file.toString().endsWith(ending))
          .filter(file -> Stream.of("target", ".git", "node_modules")
              .noneMatch(name -> ROOT.relativize(file).startsWith(name)
                  || ROOT.relativize(file).toString().contains("/" + name + "/")))
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The sources of what applications use. */
  static Stream<Path> published() {
    return find(".java").stream()
        .filter(file -> !TOOLS.matcher(ROOT.relativize(file).toString()).find())
        .filter(file -> file.toString().contains("/src/main/"));
  }

  /** However its lines are laid out. */
  static String stripped(String code) {
    return code.strip().replaceAll("\\s+", " ");
  }

  static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
