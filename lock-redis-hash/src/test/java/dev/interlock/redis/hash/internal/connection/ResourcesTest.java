package dev.interlock.redis.hash.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.resource.ClientResources;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The end of Lettuce's threads. */
@Timeout(60)
class ResourcesTest {
  /** What netty says of threads that have ended. */
  private static final class Late extends Handler {
    final List<String> messages = new CopyOnWriteArrayList<>();

    @Override
    public void publish(LogRecord said) {
      if (said.getThrown() instanceof RejectedExecutionException) {
        messages.add(said.getMessage());
      }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  private static final class SlowToClose extends RedisClient {
    SlowToClose(ClientResources resources) {
      super(resources, RedisURI.create("redis://nowhere"));
    }

    @Override
    public CompletableFuture<Void> shutdownAsync(long quiet, long limit, TimeUnit unit) {
      return new CompletableFuture<>();
    }
  }

  /** As where a server has gone, to which a client has connected all the time. */
  @Test
  void E7_connectionsThatWereNeverMadeAreNotGivenUpOnceTheThreadsHaveEnded() throws Exception {
    Logger netty = Logger.getLogger("io.netty");
    Late late = new Late();
    netty.addHandler(late);
    try {
      Resources resources = new Resources(Duration.ofSeconds(1));
      RedisClient redis = resources.closing(RedisClient.create(resources.lettuce()));
      resources.closing(new SlowToClose(resources.lettuce())); // for longer than they may take
      RedisURI nobody = RedisURI.builder()
          .withHost("127.0.0.1")
          .withPort(freePort())
          .withTimeout(Duration.ofMillis(800))
          .build();
      for (int i = 0; i < 10; i++) {
        var connecting = redis.connectAsync(ByteArrayCodec.INSTANCE, nobody);
        assertThat(catchThrowable(() -> connecting.toCompletableFuture().get())).isNotNull();
      }
      resources.close();
    } finally {
      netty.removeHandler(late);
    }
    assertThat(late.messages).isEmpty();
  }

  private static int freePort() throws Exception {
    try (ServerSocket free = new ServerSocket(0)) {
      return free.getLocalPort();
    }
  }
}
