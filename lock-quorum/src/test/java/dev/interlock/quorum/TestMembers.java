package dev.interlock.quorum;

import dev.interlock.tck.TckMembers;
import dev.interlock.tck.TckServer;
import dev.interlock.testservers.DatabaseServer;
import dev.interlock.testservers.MysqlFaults;
import dev.interlock.testservers.MysqlServer;
import dev.interlock.testservers.PostgresFaults;
import dev.interlock.testservers.PostgresServer;
import dev.interlock.testservers.RedisFaults;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.RedisServerBuilder;
import dev.interlock.testservers.TestMysql;
import dev.interlock.testservers.TestPostgres;
import dev.interlock.testservers.TestRedis;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/** Servers that know nothing of one another, as the members of a quorum that the kit judges. */
final class TestMembers implements AutoCloseable {
  private static final String PREFIX = "tck_";

  /**
   * One server.
   *
   * @param uri of the provider that uses it
   * @param faults what the kit may do to it
   * @param entries counts what it keeps
   * @param server closes it
   */
  private record Member(String uri, TckServer faults, LongSupplier entries, AutoCloseable server) {}

  private final List<Member> members;

  private TestMembers(List<Member> members) {
    this.members = members;
  }

  /**
   * Starts one server for each of these providers. A Redis server beside databases writes to its
   * disk: it would be restarted as the only one that is empty then, and would not vote until
   * {@code longestLease} has passed, which is after the last rule. If all are Redis servers, all
   * are empty after a restart, and begin together.
   */
  static TestMembers start(String... providers) {
    boolean allForget = Stream.of(providers).allMatch(provider -> provider.startsWith("redis-"));
    return new TestMembers(
        Stream.of(providers).map(provider -> start(provider, allForget)).toList());
  }

  private static Member start(String provider, boolean mayForget) {
    return switch (provider) {
      case "mysql" -> {
        MysqlServer server = TestMysql.builder().owned().start();
        yield database(server, MysqlFaults.of(server, PREFIX));
      }
      case "postgres" -> {
        PostgresServer server = TestPostgres.builder().owned().start();
        yield database(server, PostgresFaults.of(server, PREFIX));
      }
      default -> {
        RedisServerBuilder redis = TestRedis.builder().owned();
        RedisServer server = (mayForget ? redis : redis.durable()).start();
        yield new Member(
            server.uri(provider),
            RedisFaults.of(server),
            () -> Long.parseLong(server.command("DBSIZE")),
            server);
      }
    };
  }

  private static Member database(DatabaseServer server, TckServer faults) {
    String uri = server.uri() + "?schema=create&tablePrefix=" + PREFIX;
    return new Member(uri, faults, () -> rows(server), server);
  }

  private static long rows(DatabaseServer server) {
    return Long.parseLong(server.execute("SELECT (SELECT COUNT(*) FROM " + PREFIX
        + "lock) + (SELECT COUNT(*) FROM " + PREFIX + "entry) + (SELECT COUNT(*) FROM " + PREFIX
        + "counter)"));
  }

  /** The servers as the kit wants them, for a quorum with these further options. */
  TckMembers quorum(String options) {
    TckMembers quorum =
        TckMembers.needing(members.size() / 2 + 1, uris -> ThreeRedis.quorum(uris, options));
    for (Member member : members) {
      quorum = quorum.with(member.uri(), member.faults());
    }
    return quorum;
  }

  /** How many entries the fullest of them keeps. */
  long entries() {
    return members.stream()
        .mapToLong(member -> member.entries().getAsLong())
        .max()
        .orElseThrow();
  }

  @Override
  public void close() throws Exception {
    for (Member member : members) {
      member.server().close();
    }
  }
}
