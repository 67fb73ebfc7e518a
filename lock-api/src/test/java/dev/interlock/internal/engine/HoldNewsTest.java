package dev.interlock.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.LockKind;
import dev.interlock.LockListener;
import dev.interlock.LostReason;
import dev.interlock.internal.running.ClientThreads;
import dev.interlock.internal.running.Listeners;
import dev.interlock.internal.running.MustNotBlock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class HoldNewsTest {
  private final List<String> heard = new CopyOnWriteArrayList<>();
  private final LockListener listener = new LockListener() {
    @Override
    public void acquired(String name, long fencingToken, Duration waited) {
      heard.add("acquired " + fencingToken);
    }

    @Override
    public void lost(String name, long fencingToken, LostReason reason) {
      heard.add("lost " + fencingToken);
    }
  };
  private final ClientThreads threads = new ClientThreads("hold-news-test", null);
  private final HoldNews news = new HoldNews(new Listeners(List.of(listener), threads));

  private static final Grantee GRANTEE =
      new Grantee("x", null, "test", false, 1, true, false, false, LockKind.EXCLUSIVE, 1, 1);

  @AfterEach
  void close() {
    threads.close(TimeUnit.SECONDS.toNanos(5));
  }

  /** Something happens on a thread that must not wait, once another has looked what to tell. */
  private static final class Interrupted extends Hold {
    private @Nullable Runnable event;

    @SuppressWarnings("NullAway") // what is told of a hold is not asked of the server's part of it
    Interrupted(long token) {
      super(null, GRANTEE, token);
    }

    @Override
    @SuppressWarnings("UnsynchronizedOverridesSynchronized") // the other thread needs the monitor
    boolean tellEnd() {
      boolean tell = super.tellEnd();
      happen();
      return tell;
    }

    @Override
    @SuppressWarnings("UnsynchronizedOverridesSynchronized") // likewise
    @Nullable
    LostReason reason() {
      LostReason reason = super.reason();
      happen();
      return reason;
    }

    private void happen() {
      Runnable happens = event;
      event = null;
      if (happens != null) {
        Thread timer = new Thread(() -> MustNotBlock.run(happens));
        timer.start();
        try {
          timer.join();
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      }
    }
  }

  @Test
  @DisplayName("M6 a loss is told that comes while another tells and has just seen the lock held")
  void tellsLossBehindTheBegin() {
    Interrupted hold = new Interrupted(1);
    hold.event = () -> {
      hold.lose(LostReason.GONE);
      news.ended(hold);
    };
    news.began(hold, 0);
    close(); // which lets it tell what it has put off
    assertThat(heard).containsExactly("acquired 1", "lost 1");
  }

  @Test
  @DisplayName("M6 the next hold is told after an end that another is about to tell")
  void tellsNextBehindTheEnd() {
    Interrupted hold = new Interrupted(1);
    news.began(hold, 0);
    hold.event = () -> {
      news.ended(hold);
      news.began(new Interrupted(2), 0);
    };
    hold.lose(LostReason.GONE);
    news.ended(hold);
    close();
    assertThat(heard).containsExactly("acquired 1", "lost 1", "acquired 2");
  }
}
