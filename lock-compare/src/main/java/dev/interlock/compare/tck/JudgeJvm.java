package dev.interlock.compare.tck;

import dev.interlock.LockException;
import dev.interlock.tck.RuleResult;
import dev.interlock.tck.TckProgress;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.util.concurrent.TimeUnit;

/**
 * What a JVM that judges has of its own: the order that it was given, and the way back. It ends
 * with the JVM that forked it. Thread-safe.
 */
final class JudgeJvm {
  private static final int END_SECONDS = 10;

  /** What is done in it. */
  @FunctionalInterface
  interface Work<T extends JudgeMessage> {
    void run(T order, JudgeJvm jvm) throws IOException;
  }

  private final ObjectInputStream in;
  private final ObjectOutputStream out;

  private JudgeJvm(ObjectInputStream in, ObjectOutputStream out) {
    this.in = in;
    this.out = out;
  }

  /** The main method: reads an order, has it carried out, and ends this JVM. */
  static <T extends JudgeMessage> void main(Class<T> type, Work<T> work) throws IOException {
    OutputStream stdout = new BufferedOutputStream(System.out);
    // Whatever a provider prints must not get between the messages.
    System.setOut(new PrintStream(System.err, true));
    ObjectOutputStream out = new ObjectOutputStream(stdout);
    out.flush();
    JudgeJvm jvm = new JudgeJvm(new ObjectInputStream(System.in), out);
    int status = 1;
    try {
      work.run(jvm.receive(type), jvm);
      status = 0;
    } catch (IOException e) {
      System.err.println("The JVM that asks has gone: " + e);
    } finally {
      end(status);
    }
  }

  private <T extends JudgeMessage> T receive(Class<T> type) throws IOException {
    try {
      return type.cast(in.readObject());
    } catch (ClassNotFoundException e) {
      throw new IOException("the JVM that asks is of another version", e);
    }
  }

  /** Tells of the server, and blocks until nobody else uses it. */
  void awaitTurn(String origin, String address) throws IOException {
    send(new JudgeMessage.Server(origin, address));
    var unused = receive(JudgeMessage.Go.class);
    endWithParent();
  }

  /** Called once nothing more is expected but the end. */
  void endWithParent() {
    Thread parent = new Thread(
        () -> {
          try {
            while (in.read() >= 0) {
              // Nothing is meant for this JVM.
            }
          } catch (IOException e) {
            // It has ended all the same.
          }
          end(1);
        },
        "judge-parent");
    parent.setDaemon(true);
    parent.start();
  }

  /** Servers and workers that this JVM has started are ended by its shutdown hooks. */
  private static void end(int status) {
    Thread late = new Thread(
        () -> {
          try {
            TimeUnit.SECONDS.sleep(END_SECONDS);
          } catch (InterruptedException e) {
            // At once, then.
          }
          Runtime.getRuntime().halt(status);
        },
        "judge-end");
    late.setDaemon(true);
    late.start();
    System.exit(status);
  }

  synchronized void send(JudgeMessage message) {
    try {
      out.writeObject(message);
      out.flush();
    } catch (IOException e) {
      throw new UncheckedIOException("the command that started this JVM has gone", e);
    }
  }

  /** Sends each verdict, and when the rules begin to run one by one. */
  TckProgress progress() {
    return new TckProgress() {
      @Override
      public void finished(RuleResult result) {
        send(JudgeMessage.Judged.of(result));
      }

      @Override
      public void oneByOne() {
        send(new JudgeMessage.OneByOne());
      }
    };
  }

  /** What is told of an error; the class path may lack the libraries of our command line. */
  static String text(RuntimeException error) {
    String message = error.getMessage();
    return error instanceof LockException && message != null ? message : error.toString();
  }
}
