package dev.interlock.testservers;

import java.io.File;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * All that decides where a server comes from; apart from the code, so that tests can vary it.
 *
 * @param givenUri the address of a server that runs already
 * @param only the one source allowed
 * @param image the container image
 * @param path the search path for programs
 * @param dockerAddresses where a Docker daemon may listen
 * @param artifacts the class loader that may see a server program in an artifact
 */
record MysqlSurroundings(
    @Nullable String givenUri,
    @Nullable MysqlSource only,
    String image,
    String path,
    List<URI> dockerAddresses,
    ClassLoader artifacts) {
  static final String PROPERTY = "interlock.test.mysql";
  static final String VARIABLE = "INTERLOCK_TEST_MYSQL";
  private static final String DEFAULT_IMAGE = "mysql:9";

  static MysqlSurroundings ofThisJvm() {
    return new MysqlSurroundings(
        setting(PROPERTY, VARIABLE).orElse(null),
        setting(PROPERTY + ".from", VARIABLE + "_FROM")
            .map(MysqlSurroundings::source)
            .orElse(null),
        setting(PROPERTY + ".image", VARIABLE + "_IMAGE").orElse(DEFAULT_IMAGE),
        Optional.ofNullable(System.getenv("PATH")).orElse("") + File.pathSeparator + "/usr/sbin",
        DockerDaemon.usualAddresses(),
        MysqlSurroundings.class.getClassLoader());
  }

  /** The first of these programs, in the order of their names, that is on the search path. */
  Optional<Path> onPath(List<String> programs) {
    return programs.stream()
        .flatMap(program -> Pattern.compile(File.pathSeparator, Pattern.LITERAL)
            .splitAsStream(path)
            .filter(directory -> !directory.isEmpty())
            .map(directory -> Path.of(directory, program).toAbsolutePath()))
        .filter(file -> Files.isRegularFile(file) && Files.isExecutable(file))
        .findFirst();
  }

  private static Optional<String> setting(String property, String variable) {
    return Optional.ofNullable(System.getProperty(property))
        .or(() -> Optional.ofNullable(System.getenv(variable)))
        .map(String::strip)
        .filter(text -> !text.isEmpty());
  }

  private static MysqlSource source(String name) {
    try {
      return MysqlSource.valueOf(name.toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException e) {
      throw new TestServerException(
          PROPERTY + ".from is " + name + "; it can be given, path, docker or embedded.", e);
    }
  }
}
