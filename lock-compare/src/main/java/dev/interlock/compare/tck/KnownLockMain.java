package dev.interlock.compare.tck;

import dev.interlock.compare.cli.Errors;
import dev.interlock.compare.servers.Backend;
import dev.interlock.compare.servers.ServerTurns;
import dev.interlock.tck.TckResult;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** The main class of a JVM that judges a lock that this project knows, and starts its server. */
final class KnownLockMain {
  private KnownLockMain() {}

  public static void main(String[] args) throws IOException {
    JudgeJvm.main(JudgeMessage.KnownLock.class, KnownLockMain::judge);
  }

  private static void judge(JudgeMessage.KnownLock order, JudgeJvm jvm) throws IOException {
    order.properties().forEach(System::setProperty);
    Candidate candidate =
        new Candidate(order.id(), order.isPeer(), Optional.ofNullable(order.uri()));
    KitSettings settings = new KitSettings(
        order.rules(),
        order.effort(),
        order.seed(),
        Path.of(order.histories()),
        order.allHistories());
    try (Backend backend = candidate.start()) {
      jvm.awaitTurn(backend.origin(), ServerTurns.address(backend, candidate.id()));
      TckResult result = RuleRunner.REAL.run(
          candidate.target(backend).timeScale(order.timeScale()), settings, jvm.progress());
      jvm.send(JudgeMessage.Finished.of(candidate.id(), result));
    } catch (RuntimeException e) {
      jvm.send(new JudgeMessage.Refused(Errors.describe(e), false));
    }
  }
}
