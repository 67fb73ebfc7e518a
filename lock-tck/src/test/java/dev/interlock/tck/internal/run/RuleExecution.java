package dev.interlock.tck.internal.run;

import dev.interlock.tck.Effort;
import dev.interlock.tck.RuleInfo;
import dev.interlock.tck.RuleResult;
import dev.interlock.tck.Rules;
import dev.interlock.tck.TckBackend;
import dev.interlock.tck.internal.worker.Stall;
import dev.interlock.tck.internal.worker.WorkerPool;
import dev.interlock.tck.teststore.Fault;
import dev.interlock.tck.teststore.StoreServer;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Runs some of {@link RuleSamples} as the tests of a rule, on a sound store. */
abstract class RuleExecution {
  private final WorkerPool pool = WorkerPool.enter();
  StoreServer server;
  /** What stands still in the tests of a rule. */
  Optional<Stall> stall = Optional.empty();

  @BeforeEach
  void start() throws IOException {
    RuleSamples.RUNS.set(0);
    RuleSamples.INTERRUPTED.set(new CompletableFuture<>());
    server = StoreServer.start(Fault.NONE);
  }

  @AfterEach
  void stop() throws IOException {
    server.close();
    pool.leave();
  }

  TckBackend backend() {
    return TckBackend.at(server.uri()).inOneJvm();
  }

  RuleResult run(TckBackend backend, String rule, String... tests) {
    return executor(backend)
        .execute(rule(rule), Stream.of(tests).map(RuleExecution::test).toList());
  }

  RuleExecutor executor(TckBackend backend) {
    return executor(backend, Archive.NONE);
  }

  RuleExecutor executor(TckBackend backend, Archive archive) {
    return new RuleExecutor(
        Target.of(backend), Effort.QUICK, 7, pool, archive, (since, run, server) -> stall);
  }

  static RuleInfo rule(String id) {
    return Rules.find(id).orElseThrow();
  }

  static RuleTest test(String name) {
    return test(RuleSamples.class, name);
  }

  static RuleTest test(Class<?> type, String name) {
    return Stream.of(type.getDeclaredMethods())
        .filter(method -> method.getName().equals(name))
        .map(method -> new RuleTest(method.getAnnotation(Rule.class), method))
        .findFirst()
        .orElseThrow();
  }
}
