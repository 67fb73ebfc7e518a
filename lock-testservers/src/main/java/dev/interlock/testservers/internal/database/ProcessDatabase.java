package dev.interlock.testservers.internal.database;

import dev.interlock.testservers.MysqlServer;
import dev.interlock.testservers.PostgresServer;
import dev.interlock.testservers.internal.control.ServerProcess;
import java.nio.file.Path;
import java.util.Optional;

/** A database program on this machine. */
final class ProcessDatabase extends DatabaseAtEndpoint implements MysqlServer, PostgresServer {
  private final String question;
  private final Path data;

  /**
   * Takes over a process that is not started yet.
   *
   * @param data its data directory
   */
  ProcessDatabase(DatabaseEndpoint endpoint, String origin, ServerProcess process, Path data) {
    super(endpoint, origin, process);
    this.question = "SELECT " + endpoint.kind().dataDirectory() + ", VERSION()";
    this.data = data;
  }

  @Override
  protected boolean answers() {
    Optional<String> answer = endpoint().ask(question);
    if (answer.isEmpty()) {
      return false;
    }
    String[] columns = answer.get().split("\t", 2);
    if (!Path.of(columns[0]).equals(data)) {
      return false;
    }
    reportsItself(columns[1]);
    return true;
  }
}
