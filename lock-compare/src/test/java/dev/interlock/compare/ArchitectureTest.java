package dev.interlock.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import dev.interlock.compare.planted.Planted;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The rules on our classes, and each of them on a violation that was planted for it. */
class ArchitectureTest {
  private static final String ROOT = "dev.interlock";
  private static final Architecture OURS = new Architecture(ROOT);
  private static final Architecture PLANTED = new Architecture(Planted.class.getPackageName());

  /** One class of each module, and of each part of a module that a rule knows. */
  private static final List<String> MODULES = List.of(
      "dev.interlock.Locks",
      "dev.interlock.internal.opening.ClientFactory",
      "dev.interlock.internal.engine.EngineClient",
      "dev.interlock.internal.running.BackendCalls",
      "dev.interlock.local.LocalProvider",
      "dev.interlock.redis.support.KeyLayout",
      "dev.interlock.redis.support.jedis.JedisOptions",
      "dev.interlock.redis.setnx.RedisSetnxProvider",
      "dev.interlock.redis.watch.RedisWatchProvider",
      "dev.interlock.redis.hash.RedisHashProvider",
      "dev.interlock.redis.hash.internal.backend.HashBackend",
      "dev.interlock.redis.hash.internal.script.Scripts",
      "dev.interlock.redis.hash.internal.connection.Connections",
      "dev.interlock.redis.hash.internal.push.PushMailbox",
      "dev.interlock.sql.support.LockBatcher",
      "dev.interlock.mysql.MysqlProvider",
      "dev.interlock.mysql.internal.backend.MysqlBackend",
      "dev.interlock.mysql.internal.grants.GrantListener",
      "dev.interlock.mysql.internal.statements.LockMapper",
      "dev.interlock.mysql.internal.connection.MysqlDriver",
      "dev.interlock.mysql.internal.queue.Transition",
      "dev.interlock.postgres.PostgresProvider",
      "dev.interlock.postgres.internal.backend.PostgresBackend",
      "dev.interlock.postgres.internal.grants.GrantListener",
      "dev.interlock.postgres.internal.statements.LockMapper",
      "dev.interlock.postgres.internal.connection.PostgresDriver",
      "dev.interlock.quorum.QuorumProvider",
      "dev.interlock.quorum.internal.election.Election",
      "dev.interlock.quorum.internal.inspection.Inspection",
      "dev.interlock.quorum.internal.hold.Standing",
      "dev.interlock.quorum.internal.member.Member",
      "dev.interlock.spring.Locked",
      "dev.interlock.spring.internal.call.LockedInterceptor",
      "dev.interlock.spring.internal.lease.LockGate",
      "dev.interlock.spring.internal.observability.HeldLocks",
      "dev.interlock.spring.internal.annotation.LockedMethod",
      "dev.interlock.spring.internal.client.ClientOpener",
      "dev.interlock.tck.LockTck",
      "dev.interlock.testservers.TestRedis",
      "dev.interlock.testservers.internal.source.ServerSources",
      "dev.interlock.testservers.internal.control.ServerControl",
      "dev.interlock.testservers.internal.redis.RedisSources",
      "dev.interlock.testservers.internal.database.MysqlSources",
      "dev.interlock.measure.Round",
      "dev.interlock.measure.peers.RedissonLocks",
      Interlock.class.getName());

  private static JavaClasses ours;
  private static JavaClasses planted;

  @BeforeAll
  static void read() {
    ours = new ClassFileImporter()
        .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
        .importPackages(ROOT);
    planted = new ClassFileImporter().importPackages(Planted.class.getPackageName());
  }

  @Test
  void all_modules_are_looked_at() {
    // A rule about a module that is not there would find nothing to complain of.
    assertThat(MODULES).allMatch(ours::contain);
    assertThat(Architecture.providers())
        .allSatisfy(provider ->
            assertThat(MODULES).anyMatch(type -> type.startsWith(ROOT + "." + provider + ".")));
    assertThat(ours.contain(Planted.class)).isFalse();
  }

  @Test
  void the_api_depends_on_nothing_but_the_jdk() {
    OURS.apiStandsAlone().check(ours);

    violated(PLANTED.apiStandsAlone(), "planted.spi.UsesALibrary");
    violated(PLANTED.apiStandsAlone(), "planted.internal.KnowsAProvider");
  }

  @Test
  void providers_depend_on_the_api_and_their_client_only() {
    OURS.providersUseTheApiAndTheirClientOnly().forEach(rule -> rule.check(ours));

    violatedByOne("planted.local.UsesALibrary");
    violatedByOne("planted.redis.setnx.UsesTheEngine");
    violatedByOne("planted.redis.support.UsesALibrary");
    violatedByOne("planted.redis.support.KnowsItsJedisPart");
    violatedByOne("planted.redis.hash.UsesTheJedisPart");
    violatedByOne("planted.sql.support.UsesALibrary");
  }

  @Test
  void providers_never_depend_on_one_another() {
    OURS.providersDoNotKnowEachOther().check(ours);

    violated(PLANTED.providersDoNotKnowEachOther(), "planted.redis.hash.KnowsSetnx");
    violated(PLANTED.providersDoNotKnowEachOther(), "planted.quorum.KnowsAMember");
  }

  @Test
  void the_packages_of_a_provider_have_no_circles() {
    OURS.providersHaveNoCircles().check(ours);

    violated(PLANTED.providersHaveNoCircles(), "planted.redis.hash.internal.push.KnowsABackend");
    violated(
        PLANTED.providersHaveNoCircles(), "planted.redis.hash.internal.script.KnowsItsProvider");
  }

  @Test
  void the_starter_works_on_any_provider_and_nobody_knows_it() {
    OURS.starterStandsOnTheApiAndTheEntries().check(ours);
    OURS.nobodyKnowsTheStarter().check(ours);

    violated(PLANTED.starterStandsOnTheApiAndTheEntries(), "planted.spring.KnowsABackend");
    violated(PLANTED.nobodyKnowsTheStarter(), "planted.local.KnowsTheStarter");
  }

  @Test
  void the_packages_of_the_starter_have_no_circles() {
    OURS.starterHasNoCircles().check(ours);

    violated(PLANTED.starterHasNoCircles(), "planted.spring.internal.lease.KnowsTheCall");
  }

  @Test
  void the_packages_of_the_test_servers_have_no_circles() {
    OURS.testServersHaveNoCircles().check(ours);

    violated(
        PLANTED.testServersHaveNoCircles(), "planted.testservers.internal.control.KnowsAServer");
  }

  @Test
  void what_measures_knows_no_provider() {
    OURS.measuringKnowsNoProvider().check(ours);

    violated(PLANTED.measuringKnowsNoProvider(), "planted.measure.KnowsAProvider");
  }

  @Test
  void the_packages_of_the_tools_have_no_circles() {
    OURS.toolsHaveNoCircles().check(ours);

    violated(PLANTED.toolsHaveNoCircles(), "planted.compare.two.KnowsOne");
  }

  @Test
  void the_engine_has_no_circles_and_knows_no_provider() {
    OURS.engineHasNoCircles().check(ours);
    OURS.engineKnowsNoProvider().check(ours);

    violated(PLANTED.engineHasNoCircles(), "planted.internal.running.KnowsTheEngine");
    violated(PLANTED.engineKnowsNoProvider(), "planted.internal.engine.KnowsWhatOpensIt");
  }

  @Test
  void nobody_touches_the_internals_of_another_module() {
    OURS.internalsStayInTheirModule().check(ours);

    violated(PLANTED.internalsStayInTheirModule(), "planted.redis.setnx.UsesTheEngine");
    violated(PLANTED.internalsStayInTheirModule(), "planted.mysql.UsesTheKit");
  }

  @Test
  void public_types_are_final_interfaces_records_enums_or_exceptions() {
    OURS.publicTypesAreClosed().check(ours);

    violated(PLANTED.publicTypesAreClosed(), "planted.Open");
  }

  private static void violated(ArchRule rule, String culprit) {
    assertThatThrownBy(() -> rule.check(planted))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining(culprit);
  }

  private static void violatedByOne(String culprit) {
    assertThat(PLANTED.providersUseTheApiAndTheirClientOnly())
        .anySatisfy(rule -> violated(rule, culprit));
  }
}
