package dev.interlock.compare.demo;

import dev.interlock.LockException;
import dev.interlock.compare.cli.Errors;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

/** The main class of a JVM that contends in the demo, until its standard input ends. */
final class DemoMain {
  static final String ERROR = "ERROR ";

  private DemoMain() {}

  public static void main(String[] args) throws IOException, InterruptedException {
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    String uri = in.readLine();
    DemoContender contender = new DemoContender();
    Thread fighter = Thread.currentThread();
    Thread watcher = new Thread(() -> stopAtEnd(in, contender, fighter), "interlock-demo-input");
    watcher.setDaemon(true);
    watcher.start();
    try {
      contender.fight(uri, event -> System.out.println(event.line()));
    } catch (InterruptedException e) {
      // The demo is over; the client is closed and holds nothing.
    } catch (LockException e) {
      System.out.println(ERROR + Errors.describe(e).replace('\n', ' '));
    }
  }

  private static void stopAtEnd(BufferedReader in, DemoContender contender, Thread fighter) {
    try {
      while (in.readLine() != null) {
        // Nothing is said to it; only the end counts.
      }
    } catch (IOException e) {
      // The parent is gone, which is an end as well.
    }
    contender.stop();
    fighter.interrupt();
  }
}
