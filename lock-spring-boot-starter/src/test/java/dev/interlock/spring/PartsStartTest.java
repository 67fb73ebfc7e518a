package dev.interlock.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.Capability;
import dev.interlock.LockClient;
import dev.interlock.Locks;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestRedis;
import java.lang.reflect.Proxy;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.scheduling.annotation.Scheduled;

/** What is refused at start of methods that read or take permits. */
class PartsStartTest {
  private final ApplicationContextRunner runner = new ApplicationContextRunner()
      .withConfiguration(AutoConfigurations.of(
          InterlockAutoConfiguration.class, InterlockObservabilityAutoConfiguration.class));

  static class Reading {
    @Locked(name = "a", mode = LockMode.READ)
    public void work() {}
  }

  static class Exporting {
    @Limited(name = "a", permits = 2)
    public void work() {}

    @Limited(name = "a", permits = 2, client = "other")
    public void elsewhere() {}
  }

  static class Writing {
    @Locked(name = "a", mode = LockMode.WRITE)
    public void work() {}
  }

  static class NoPermits {
    @Limited("a")
    public void work() {}
  }

  static class PermitsTwice {
    @Limited(name = "a", permits = 2, permitsString = "3")
    public void work() {}
  }

  static class NoNumber {
    @Limited(name = "a", permitsString = "${many:many}")
    public void work() {}
  }

  static class TakesTooMany {
    @Limited(name = "a", permits = 2, take = 3)
    public void work() {}
  }

  static class NoName {
    @Limited(permits = 2)
    public void work() {}
  }

  static class UnknownVariable {
    @Limited(name = "a-#{#other}", permits = 2)
    public void work(int id) {}
  }

  static class LockedToo {
    @Locked("a")
    @Limited(name = "a", permits = 2)
    public void work() {}
  }

  static class JobToo {
    @LockedJob(name = "a", atLeast = "1s")
    @Limited(name = "a", permits = 2)
    public void work() {}
  }

  static class ReadsOnce {
    @Locked(
        name = "a",
        mode = LockMode.READ,
        autoRelease = false,
        atLeast = "1s",
        onBusy = OnBusy.SKIP)
    public void work() {}
  }

  static class ReadsForAll {
    @Locked(name = "a", mode = LockMode.READ, scope = LockScope.APPLICATION)
    public void work() {}
  }

  static class Hidden {
    @Limited(name = "a", permits = 2)
    @SuppressWarnings("UnusedMethod") // which is what the test is about
    private void work() {}
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = """
      NoPermits       | @Limited on NoPermits.work(): it needs permits, or permitsString, but not both
      PermitsTwice    | @Limited on PermitsTwice.work(): it needs permits, or permitsString, but not both
      NoNumber        | @Limited on NoNumber.work(): permitsString is 'many': expected a number
      TakesTooMany    | @Limited on TakesTooMany.work(): 3 permits were asked for: it must be from 1 to 2
      NoName          | @Limited on NoName.work(): it needs a name
      UnknownVariable | @Limited("a-#{#other}") on UnknownVariable.work(int): there is no variable #other
      LockedToo       | @Limited on LockedToo.work(): it is also @Locked: keep one of them
      JobToo          | it is also
      ReadsOnce       | @Locked on ReadsOnce.work(): autoRelease=false goes with mode=WRITE only
      ReadsForAll     | @Locked on ReadsForAll.work(): mode=READ does not go with scope=APPLICATION
      Hidden          | @Limited on Hidden.work(): a proxy does not see a method that is private
      """)
  void a_wrong_annotation_fails_the_start(String bean, String message) throws Exception {
    Class<?> type = Class.forName(PartsStartTest.class.getName() + "$" + bean);
    FailureAnalysis failure =
        Contexts.failure(runner.withPropertyValues("interlock.uri=local://").withBean(type));
    assertThat(failure.getDescription()).contains(message);
    assertThat(failure.getAction()).contains("@Limited");
  }

  @Test
  void a_provider_without_the_capability_is_refused_by_a_sentence_for_each_method() {
    try (RedisServer server = TestRedis.start()) {
      ApplicationContextRunner plain = runner.withPropertyValues(
          "interlock.uri=" + server.uri("redis-setnx"), "interlock.clients.other.uri=local://");
      FailureAnalysis failure =
          Contexts.failure(plain.withBean(Reading.class).withBean(Exporting.class));
      assertThat(failure.getDescription())
          .contains("@Locked on Reading.work() needs the capability SHARED, which the provider of"
              + " the client without a name does not declare")
          .contains("@Limited on Exporting.work() needs the capability PERMITS")
          .doesNotContain("elsewhere");
      plain.withBean(Writing.class).run(context -> assertThat(context).hasNotFailed());
    }
  }

  static class Fair {
    @Locked(name = "a", fair = true)
    public void work() {}
  }

  /** A client whose provider has an order of its own. */
  private static LockClient unfair(LockClient client) {
    return (LockClient) Proxy.newProxyInstance(
        LockClient.class.getClassLoader(),
        new Class<?>[] {LockClient.class},
        (proxy, method, arguments) -> method.getName().equals("capabilities")
            ? Set.of(Capability.RENEWABLE, Capability.FENCED)
            : method.invoke(client, arguments));
  }

  @Test
  void a_provider_that_is_not_fair_is_refused() {
    try (LockClient client = Locks.open("local://")) {
      ApplicationContextRunner own =
          runner.withBean("own", LockClient.class, () -> unfair(client), definition -> {
            definition.setDestroyMethodName("");
          });
      assertThat(Contexts.failure(own.withBean(Fair.class)).getDescription())
          .contains("@Locked on Fair.work() needs the capability FAIR, which the provider of the"
              + " client without a name does not declare");
      own.withBean(Writing.class).run(context -> assertThat(context).hasNotFailed());
    }
  }

  static class EachInstance {
    @Scheduled(fixedDelay = 1_000_000)
    @Limited(name = "a", permits = 2)
    public void work() {}

    @Scheduled(fixedDelay = 1_000_000)
    @Locked(name = "b", mode = LockMode.READ)
    public void read() {}
  }

  @Test
  void jobs_that_every_instance_runs_may_be_limited_and_may_read() {
    runner
        .withPropertyValues("interlock.uri=local://")
        .withBean(EachInstance.class)
        .run(context -> assertThat(context).hasNotFailed());
  }
}
