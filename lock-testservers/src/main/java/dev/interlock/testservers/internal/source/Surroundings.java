package dev.interlock.testservers.internal.source;

import dev.interlock.testservers.TestServerException;
import java.io.File;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * All that decides where a server comes from; apart from the code, so that tests can vary it.
 *
 * @param <S> the sources of this kind of server
 * @param givenUri the address of a server that runs already
 * @param only the one source allowed
 * @param image the container image
 * @param path the search path for programs
 * @param dockerAddresses where a Docker daemon may listen
 * @param artifacts the class loader that may see a server program in an artifact
 */
public record Surroundings<S extends Enum<S>>(
    @Nullable String givenUri,
    @Nullable S only,
    String image,
    String path,
    List<URI> dockerAddresses,
    ClassLoader artifacts) {

  /**
   * What is true for this JVM.
   *
   * @param property the system property with the URI; the names of the others begin with it
   * @param variable the same for environment variables, which are asked after the properties
   */
  public static <S extends Enum<S>> Surroundings<S> ofThisJvm(
      String property, String variable, Class<S> sources, String defaultImage) {
    return new Surroundings<>(
        setting(property, variable).orElse(null),
        setting(property + ".from", variable + "_FROM")
            .map(name -> source(name, property, sources))
            .orElse(null),
        setting(property + ".image", variable + "_IMAGE").orElse(defaultImage),
        Optional.ofNullable(System.getenv("PATH")).orElse(""),
        DockerDaemon.usualAddresses(),
        Surroundings.class.getClassLoader());
  }

  /** The same with one more directory that may have programs. */
  public Surroundings<S> withDirectory(String directory) {
    return new Surroundings<>(
        givenUri, only, image, path + File.pathSeparator + directory, dockerAddresses, artifacts);
  }

  /** The first of these programs, in the order of their names, that is on the search path. */
  public Optional<Path> onPath(List<String> programs) {
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

  private static <S extends Enum<S>> S source(String name, String property, Class<S> sources) {
    return Arrays.stream(sources.getEnumConstants())
        .filter(source -> source.name().equalsIgnoreCase(name))
        .findFirst()
        .orElseThrow(() ->
            new TestServerException(property + ".from is " + name + "; it can be one of "
                + Arrays.stream(sources.getEnumConstants())
                    .map(source -> source.name().toLowerCase(Locale.ROOT))
                    .toList()));
  }
}
