package dev.interlock.tck.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

class MachineLoadTest {
  private static final long LIMIT = Duration.ofSeconds(30).toNanos();

  @Test
  @EnabledOnOs(OS.LINUX)
  void manyThreadsThatWantTheProcessorAreAnOverloadThatLasts() throws Exception {
    try (Stream<String> lines = Files.lines(Path.of("/proc/stat"))) {
      long processors = lines.filter(line -> line.matches("cpu\\d.*")).count();
      // A container that may use a few of many processors cannot keep all of them busy.
      assumeThat(processors).isEqualTo(Runtime.getRuntime().availableProcessors());
    }
    MachineLoad load = MachineLoad.instance();
    AtomicBoolean ended = new AtomicBoolean();
    List<Thread> busy = new ArrayList<>();
    long start = System.nanoTime();
    for (int i = 0; i < 12 * Runtime.getRuntime().availableProcessors(); i++) {
      Thread thread = new Thread(() -> {
        while (!ended.get()) {
          Thread.onSpinWait();
        }
      });
      thread.setDaemon(true);
      thread.start();
      busy.add(thread);
    }
    Optional<Stall> seen = Optional.empty();
    try {
      while (seen.filter(stall -> stall.nanos() > 1_000_000_000).isEmpty()) {
        assertThat(System.nanoTime() - start).isLessThan(LIMIT);
        Thread.sleep(50);
        seen = Stalls.instance()
            .longestSince(start, stall -> stall.what().startsWith("the machine had more than 8"));
      }
      assertThat(load.isCalm()).isFalse();
    } finally {
      ended.set(true);
    }
    for (Thread thread : busy) {
      thread.join();
    }
    assertThat(seen.orElseThrow().of()).isEmpty();
  }
}
