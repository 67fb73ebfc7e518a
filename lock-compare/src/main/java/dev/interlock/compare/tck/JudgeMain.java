package dev.interlock.compare.tck;

import dev.interlock.LockConfigurationException;
import dev.interlock.LockProviderNotFoundException;
import dev.interlock.tck.TckBackend;
import dev.interlock.tck.TckResult;
import dev.interlock.tck.TckRunner;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

/**
 * The main class of a JVM that judges somebody's provider. Beside the provider's class path it has
 * the API, the kit and these few classes, and none of the libraries of the command line: whatever
 * versions the provider needs, there is nothing to collide with.
 */
final class JudgeMain {
  private JudgeMain() {}

  public static void main(String[] args) throws IOException {
    JudgeJvm.main(JudgeMessage.Order.class, JudgeMain::judge);
  }

  private static void judge(JudgeMessage.Order order, JudgeJvm jvm) {
    jvm.endWithParent();
    try {
      TckResult result = runner(order, jvm).run();
      jvm.send(JudgeMessage.Finished.of(result.provider().id(), result));
    } catch (LockProviderNotFoundException | LockConfigurationException e) {
      jvm.send(new JudgeMessage.Refused(JudgeJvm.text(e), true));
    } catch (LinkageError e) {
      jvm.send(new JudgeMessage.Refused(
          "The provider cannot be run: " + e + ". Are all libraries that it needs on --classpath?",
          true));
    } catch (RuntimeException e) {
      jvm.send(new JudgeMessage.Refused(JudgeJvm.text(e), false));
    }
  }

  private static TckRunner runner(JudgeMessage.Order order, JudgeJvm jvm) {
    TckBackend backend = TckBackend.at(order.uri()).timeScale(order.timeScale());
    for (Map.Entry<String, String> waiver : order.waivers().entrySet()) {
      backend = backend.waive(waiver.getKey(), waiver.getValue());
    }
    KitSettings settings = new KitSettings(
        order.rules(),
        order.effort(),
        order.seed(),
        Path.of(order.histories()),
        order.allHistories());
    return settings
        .applyTo(TckRunner.of(order.inOneJvm() ? backend.inOneJvm() : backend))
        .onProgress(jvm.progress());
  }
}
