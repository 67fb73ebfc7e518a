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
record Surroundings(
    @Nullable String givenUri,
    @Nullable RedisSource only,
    String image,
    String path,
    List<URI> dockerAddresses,
    ClassLoader artifacts) {
  static final String URI_PROPERTY = "interlock.test.redis";
  static final String URI_VARIABLE = "INTERLOCK_TEST_REDIS";
  private static final String DEFAULT_IMAGE = "redis:8.2-alpine";

  static Surroundings ofThisJvm() {
    return new Surroundings(
        setting(URI_PROPERTY, URI_VARIABLE).orElse(null),
        setting(URI_PROPERTY + ".from", URI_VARIABLE + "_FROM")
            .map(Surroundings::source)
            .orElse(null),
        setting(URI_PROPERTY + ".image", URI_VARIABLE + "_IMAGE").orElse(DEFAULT_IMAGE),
        Optional.ofNullable(System.getenv("PATH")).orElse(""),
        DockerDaemon.usualAddresses(),
        Surroundings.class.getClassLoader());
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

  private static RedisSource source(String name) {
    try {
      return RedisSource.valueOf(name.toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException e) {
      throw new TestServerException(
          URI_PROPERTY + ".from is " + name + "; it can be given, docker, path or embedded.", e);
    }
  }
}
