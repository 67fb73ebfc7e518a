package dev.interlock.compare.tck;

import dev.interlock.Capability;
import dev.interlock.LockConfigurationException;
import dev.interlock.LockException;
import dev.interlock.LockProviderNotFoundException;
import dev.interlock.compare.cli.Errors;
import dev.interlock.tck.RuleResult;
import dev.interlock.tck.TckBackend;
import dev.interlock.tck.TckProgress;
import dev.interlock.tck.TckResult;
import dev.interlock.tck.TckRunner;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Map;

/**
 * The main class of a JVM that judges somebody's provider. Beside the provider's class path it has
 * the API, the kit and these few classes, and none of the libraries of the command line: whatever
 * versions the provider needs, there is nothing to collide with.
 */
final class JudgeMain {
  private final ObjectOutputStream out;

  private JudgeMain(ObjectOutputStream out) {
    this.out = out;
  }

  public static void main(String[] args) throws IOException, ClassNotFoundException {
    OutputStream stdout = new BufferedOutputStream(System.out);
    // Whatever a provider prints must not get between the messages.
    System.setOut(new PrintStream(System.err, true));
    ObjectOutputStream out = new ObjectOutputStream(stdout);
    out.flush();
    ObjectInputStream in = new ObjectInputStream(System.in);
    JudgeMessage.Order order = (JudgeMessage.Order) in.readObject();
    Thread parent = new Thread(() -> awaitEnd(in), "judge-parent");
    parent.setDaemon(true);
    parent.start();
    new JudgeMain(out).judge(order);
    // At once: threads that a broken provider leaves behind must not keep this JVM.
    Runtime.getRuntime().halt(0);
  }

  /** The kit must not outlive the command. */
  private static void awaitEnd(ObjectInputStream in) {
    try {
      while (in.read() >= 0) {
        // Nothing more is expected.
      }
    } catch (IOException e) {
      // It has ended all the same.
    }
    Runtime.getRuntime().halt(1);
  }

  private void judge(JudgeMessage.Order order) {
    try {
      TckResult result = runner(order).run();
      EnumSet<Capability> capabilities = EnumSet.noneOf(Capability.class);
      capabilities.addAll(result.capabilities());
      send(new JudgeMessage.Finished(
          result.provider().id(), result.provider().version(), result.server(), capabilities));
    } catch (LockProviderNotFoundException | LockConfigurationException e) {
      send(new JudgeMessage.Refused(text(e), true));
    } catch (LinkageError e) {
      send(new JudgeMessage.Refused(
          "The provider cannot be run: " + e + ". Are all libraries that it needs on --classpath?",
          true));
    } catch (RuntimeException e) {
      send(new JudgeMessage.Refused(text(e), false));
    }
  }

  private TckRunner runner(JudgeMessage.Order order) {
    TckBackend backend = TckBackend.at(order.uri()).timeScale(order.timeScale());
    for (Map.Entry<String, String> waiver : order.waivers().entrySet()) {
      backend = backend.waive(waiver.getKey(), waiver.getValue());
    }
    KitSettings settings = new KitSettings(
        order.effort(), order.seed(), Path.of(order.histories()), order.allHistories());
    TckRunner runner = settings
        .applyTo(TckRunner.of(order.inOneJvm() ? backend.inOneJvm() : backend))
        .onProgress(new TckProgress() {
          @Override
          public void finished(RuleResult result) {
            send(JudgeMessage.Judged.of(result));
          }
        });
    return order.rules().isEmpty() ? runner : runner.only(order.rules());
  }

  /** {@link Errors} knows a library that this JVM does not have. */
  private static String text(RuntimeException error) {
    String message = error.getMessage();
    return error instanceof LockException && message != null ? message : error.toString();
  }

  private synchronized void send(JudgeMessage message) {
    try {
      out.writeObject(message);
      out.flush();
    } catch (IOException e) {
      throw new UncheckedIOException("the command that started this JVM has gone", e);
    }
  }
}
