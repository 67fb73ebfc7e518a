package dev.interlock.compare.facts;

import dev.interlock.compare.peers.Clients;
import dev.interlock.compare.servers.Backend;
import dev.interlock.compare.servers.LockUris;
import dev.interlock.testservers.DatabaseServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Lets an account do it that has few rights in a database, and takes away one after the other. */
final class SqlRights {
  private static final String USER = "fact_rights";
  private static final String PASSWORD = "fact";
  private static final String EXECUTE = "EXECUTE";
  private static final List<String> ON_TABLES = List.of("SELECT", "INSERT", "UPDATE", "DELETE");

  private final Backend backend;
  private final DatabaseServer server;
  private final boolean isPostgres;
  private final boolean isOurs;
  private final String schema;
  private final List<String> tables;

  SqlRights(Backend backend, DatabaseServer server) {
    this.backend = backend;
    this.server = server;
    this.isPostgres = server.uri().startsWith("postgres");
    this.isOurs = Clients.isOurs(backend.uri());
    // The tables are made with all rights.
    Clients.open(backend.uri()).close();
    this.schema = server.execute("SELECT " + (isPostgres ? "CURRENT_SCHEMA" : "DATABASE()"));
    this.tables = server
        .execute("SELECT table_name FROM information_schema.tables WHERE table_schema = '" + schema
            + "' AND LEFT(table_name, " + backend.names().length() + ") = '" + backend.names()
            + "'")
        .lines()
        .toList();
  }

  Fact observe() throws InterruptedException {
    List<String> rights = new ArrayList<>(ON_TABLES);
    if (isPostgres) {
      rights.add(EXECUTE);
    }
    Map<String, Double> figures = new TreeMap<>();
    figures.put("rights", (double) rights.size());
    create(rights);
    try {
      Optional<String> failure = cycle();
      figures.put("enough", failure.isEmpty() ? 1.0 : 0.0);
      StringBuilder words = new StringBuilder("With ")
          .append(String.join(", ", ON_TABLES))
          .append(" on its ")
          .append(tables.size() == 1 ? "table" : tables.size() + " tables")
          .append(isPostgres ? " and EXECUTE on its functions" : "")
          .append(isOurs ? ", and nothing else, an account " : ", and with CREATE, an account ")
          .append(Rights.does(backend, failure));
      double needed = 0;
      for (String right : failure.isPresent() ? List.<String>of() : rights) {
        change("REVOKE " + right, "FROM " + USER, right);
        Optional<String> thrown = cycle();
        change("GRANT " + right, "TO " + USER, right);
        needed += thrown.isPresent() ? 1 : 0;
        words.append(" Without ").append(right);
        words.append(thrown.map(name -> " it ends with " + name + ".").orElse(" nothing fails."));
      }
      figures.put("needed", needed);
      return Fact.seen(Happening.RIGHTS, words.toString(), figures);
    } finally {
      drop();
    }
  }

  private Optional<String> cycle() throws InterruptedException {
    String uri = LockUris.withAccount(backend.uri(), USER, PASSWORD)
        .replace("schema=create", "schema=check");
    return RightsCycle.run(uri, () -> {});
  }

  private void create(List<String> rights) {
    drop();
    server.execute(
        isPostgres
            ? "CREATE ROLE " + USER + " LOGIN PASSWORD '" + PASSWORD + "'"
            : "CREATE USER " + USER + " IDENTIFIED BY '" + PASSWORD + "'");
    if (isPostgres) {
      // Everybody has it unless it is taken away.
      change("REVOKE " + EXECUTE, "FROM PUBLIC", EXECUTE);
    }
    rights.forEach(right -> change("GRANT " + right, "TO " + USER, right));
    if (!isOurs) {
      // Our adapter asks for the table's creation, not the library.
      change("GRANT CREATE", "TO " + USER, "CREATE");
    }
  }

  private void change(String what, String who, String right) {
    if (right.equals(EXECUTE)) {
      server.execute(what + " ON ALL FUNCTIONS IN SCHEMA " + schema + " " + who);
      return;
    }
    tables.forEach(table -> server.execute(what + " ON " + schema + "." + table + " " + who));
  }

  private void drop() {
    if (!isPostgres) {
      server.execute("DROP USER IF EXISTS " + USER);
      return;
    }
    change("GRANT " + EXECUTE, "TO PUBLIC", EXECUTE);
    String there = "SELECT 1 FROM pg_roles WHERE rolname = '" + USER + "'";
    if (!server.execute(there).isEmpty()) {
      server.execute("DROP OWNED BY " + USER);
      server.execute("DROP ROLE " + USER);
    }
  }
}
