package dev.interlock.compare.demo;

import dev.interlock.compare.cli.ChildJvm;
import dev.interlock.compare.cli.Errors;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Where the contenders of the demo are. */
interface DemoStage {

  /** Lets them fight for a while and returns when all have ended. */
  void play(String uri, int contenders, Duration time, DemoShow show)
      throws IOException, InterruptedException;

  /** Each contender in a JVM of its own. */
  final class SeveralJvms implements DemoStage {
    @Override
    public void play(String uri, int contenders, Duration time, DemoShow show)
        throws IOException, InterruptedException {
      List<ChildJvm> jvms = new ArrayList<>();
      List<Thread> readers = new ArrayList<>();
      CountDownLatch ended = new CountDownLatch(contenders);
      try {
        for (int i = 1; i <= contenders; i++) {
          ChildJvm jvm = ChildJvm.start(DemoMain.class);
          jvms.add(jvm);
          jvm.tell(uri);
          String name = "JVM " + i + " (pid " + jvm.pid() + ")";
          readers.add(thread(() -> follow(jvm, name, show, ended)));
        }
        // Ends early only if all of them have ended, each with its reason.
        boolean early = ended.await(time.toMillis(), TimeUnit.MILLISECONDS);
        show.over(early);
        for (ChildJvm jvm : jvms) {
          jvm.end();
        }
        for (Thread reader : readers) {
          reader.join();
        }
      } finally {
        jvms.forEach(ChildJvm::close);
      }
    }

    private static void follow(ChildJvm jvm, String name, DemoShow show, CountDownLatch ended) {
      try {
        for (String line = jvm.read(); ; line = jvm.read()) {
          if (line.startsWith(DemoMain.ERROR)) {
            show.failed(name, line.substring(DemoMain.ERROR.length()));
          } else {
            show.event(name, DemoEvent.parse(line));
          }
        }
      } catch (IOException e) {
        // It has ended.
      } finally {
        ended.countDown();
      }
    }
  }

  /** Each contender with a client and a thread of its own in this JVM. */
  final class OneJvm implements DemoStage {
    @Override
    public void play(String uri, int contenders, Duration time, DemoShow show)
        throws InterruptedException {
      List<DemoContender> fighters = new ArrayList<>();
      List<Thread> threads = new ArrayList<>();
      for (int i = 1; i <= contenders; i++) {
        DemoContender fighter = new DemoContender();
        fighters.add(fighter);
        String name = "client " + i;
        threads.add(thread(() -> fight(fighter, uri, name, show)));
      }
      CountDownLatch never = new CountDownLatch(1);
      boolean early = never.await(time.toMillis(), TimeUnit.MILLISECONDS);
      show.over(early);
      fighters.forEach(DemoContender::stop);
      for (Thread thread : threads) {
        thread.interrupt();
        thread.join();
      }
    }

    private static void fight(DemoContender fighter, String uri, String name, DemoShow show) {
      try {
        fighter.fight(uri, event -> show.event(name, event));
      } catch (InterruptedException e) {
        // The demo is over; the client is closed and holds nothing.
      } catch (RuntimeException e) {
        show.failed(name, Errors.describe(e));
      }
    }
  }

  private static Thread thread(Runnable work) {
    Thread thread = new Thread(work, "interlock-demo");
    thread.setDaemon(true);
    thread.start();
    return thread;
  }
}
