package dev.interlock.tck.internal.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class AdmissionTest {
  private final AtomicBoolean hasRoom = new AtomicBoolean();
  private final Admission admission = new Admission(hasRoom::get);

  @Test
  void oneMayAlwaysRunAndOthersOnlyBesideItWhileThereIsRoom() throws Exception {
    admission.begin();
    CompletableFuture<Void> second = begun();
    CompletableFuture<Void> third = begun();
    RuleRun.pause(Duration.ofMillis(800));
    assertThat(second).isNotDone();
    assertThat(third).isNotDone();

    hasRoom.set(true);
    second.get(20, TimeUnit.SECONDS);
    third.get(20, TimeUnit.SECONDS);
  }

  @Test
  void whoWaitsBeginsOnceNoOtherRuns() throws Exception {
    admission.begin();
    CompletableFuture<Void> next = begun();
    RuleRun.pause(Duration.ofMillis(600));
    assertThat(next).isNotDone();

    admission.end();
    next.get(20, TimeUnit.SECONDS);
    CompletableFuture<Void> last = begun();
    RuleRun.pause(Duration.ofMillis(600));
    assertThat(last).isNotDone();
    admission.end();
    last.get(20, TimeUnit.SECONDS);
  }

  private CompletableFuture<Void> begun() {
    CompletableFuture<Void> begun = new CompletableFuture<>();
    Thread thread = new Thread(() -> {
      try {
        admission.begin();
        begun.complete(null);
      } catch (InterruptedException e) {
        begun.completeExceptionally(e);
      }
    });
    thread.setDaemon(true);
    thread.start();
    return begun;
  }
}
