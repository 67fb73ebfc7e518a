package dev.interlock.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.LockKind;
import dev.interlock.LockListener;
import dev.interlock.LostReason;
import dev.interlock.internal.running.MustNotBlock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class HoldNewsTest {
  private final List<String> heard = new CopyOnWriteArrayList<>();
  private final HoldNews news = new HoldNews(new LockListener() {
    @Override
    public void acquired(String name, long fencingToken, Duration waited) {
      heard.add("acquired");
    }

    @Override
    public void lost(String name, long fencingToken, LostReason reason) {
      heard.add("lost");
    }
  });

  private static final Grantee GRANTEE =
      new Grantee("x", null, "test", false, 1, true, false, false, LockKind.EXCLUSIVE, 1, 1);

  /** Is lost on another thread, which must not wait, once one has seen that it is held. */
  private final class LostMeanwhile extends Hold {
    private boolean seen;

    @SuppressWarnings("NullAway") // what is told of a hold is not asked of the server's part of it
    LostMeanwhile() {
      super(null, GRANTEE, 1);
    }

    @Override
    @SuppressWarnings("UnsynchronizedOverridesSynchronized") // the other thread needs the monitor
    boolean tellEnd() {
      boolean tell = super.tellEnd();
      if (!seen) {
        seen = true;
        Thread timer = new Thread(() -> MustNotBlock.run(() -> {
          lose(LostReason.GONE);
          news.ended(this);
        }));
        timer.start();
        try {
          timer.join();
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      }
      return tell;
    }
  }

  @Test
  @DisplayName("M6 a loss is told that comes while another tells and has just seen the lock held")
  void tellsLossBehindTheBegin() {
    news.began(new LostMeanwhile(), 0);
    assertThat(heard).containsExactly("acquired", "lost");
  }
}
