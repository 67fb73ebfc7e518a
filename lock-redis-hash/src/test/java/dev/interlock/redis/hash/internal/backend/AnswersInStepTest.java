package dev.interlock.redis.hash.internal.backend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.LockConfig;
import dev.interlock.LockException;
import dev.interlock.redis.hash.internal.connection.Connections;
import dev.interlock.redis.hash.internal.connection.SharedConnection;
import dev.interlock.redis.hash.internal.push.Listeners;
import dev.interlock.redis.support.contract.GatedProxy;
import dev.interlock.redis.support.contract.Topologies;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.ClientId;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.LockBackend;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestRedis;
import io.lettuce.core.RedisClient;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.ByteArrayOutput;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.RedisCommand;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** An error of the thread that reads the answers, as when there is no memory left. */
@Timeout(60)
class AnswersInStepTest {
  private static final String ERROR = "no memory, says the test";

  /** Where it comes. */
  enum Moment {
    ENCODING,
    DECODING,
    COMPLETION
  }

  /** Those of a backend, of which the first is for a few attempts. */
  private static final class Recorded implements Connections {
    private final Connections all;
    final List<SharedConnection> opened = new ArrayList<>();

    Recorded(Connections all) {
      this.all = all;
    }

    @Override
    public SharedConnection open() {
      SharedConnection connection = all.open();
      opened.add(connection);
      return connection;
    }

    @Override
    public Listeners openListeners() {
      return all.openListeners();
    }

    @Override
    public void lookAgain() {
      all.lookAgain();
    }

    @Override
    public boolean isCluster() {
      return all.isCluster();
    }

    @Override
    public String address() {
      return all.address();
    }

    @Override
    public void close() {
      all.close();
    }
  }

  private static RedisCommand<byte[], byte[], byte[]> failing(Moment moment) {
    ByteArrayOutput<byte[], byte[]> output = new ByteArrayOutput<>(ByteArrayCodec.INSTANCE) {
      @Override
      public void set(@Nullable ByteBuffer bytes) {
        if (moment == Moment.DECODING) {
          throw new OutOfMemoryError(ERROR);
        }
        super.set(bytes);
      }
    };
    return new Command<>(
        CommandType.ECHO, output, new CommandArgs<>(ByteArrayCodec.INSTANCE).add("x")) {
      @Override
      public void encode(ByteBuf buffer) {
        if (moment == Moment.ENCODING) {
          throw new IllegalStateException(ERROR);
        }
        super.encode(buffer);
      }

      @Override
      public void complete() {
        super.complete();
        if (moment == Moment.COMPLETION) {
          throw new OutOfMemoryError(ERROR);
        }
      }
    };
  }

  @ParameterizedTest
  @CsvSource({
    "ENCODING,false", "DECODING,false", "COMPLETION,false",
    "ENCODING,true", "DECODING,true", "COMPLETION,true"
  })
  void X1_noAttemptIsGrantedByTheAnswerToAnother(Moment moment, boolean byApplication)
      throws Exception {
    try (RedisServer server = TestRedis.builder().owned().start();
        GatedProxy proxy = GatedProxy.before(server.port());
        TestClient other = TestClient.deaf(server)) {
      assertThat(other.tryOnce("held", other.id())).isInstanceOf(Grant.class);
      RedisClient redis = RedisClient.create("redis://127.0.0.1:" + proxy.port());
      LockConfig config = LockConfig.parse(
          "redis-hash://127.0.0.1:" + proxy.port() + "?namespace=" + TestClient.NAMESPACE);
      ClientId client = new ClientId(HexFormat.of().toHexDigits(42L), "host-a:42");
      Recorded connections =
          new Recorded(byApplication ? Connections.of(redis) : Connections.own(config, client));
      try (LockBackend backend = HashBackend.open(config, client, connections)) {
        backend.attempt(
            TestClient.fair("warm", new HoldId(42, 1), TestClient.LEASE, Duration.ZERO));
        proxy.hold();

        connections.opened.get(0).dispatch(failing(moment));
        List<FutureTask<AttemptResult>> attempts = new ArrayList<>();
        for (String name : List.of("free", "also free", "held")) {
          int before = proxy.flushes();
          HoldId id = new HoldId(42, 2 + attempts.size());
          FutureTask<AttemptResult> attempt = new FutureTask<>(
              () -> backend.attempt(TestClient.fair(name, id, TestClient.LEASE, Duration.ZERO)));
          attempts.add(attempt);
          new Thread(attempt, name).start();
          Topologies.await(() -> proxy.flushes() > before || attempt.isDone());
        }
        proxy.open();

        assertThat(resultOf(attempts.get(2))).isNotInstanceOf(Grant.class);
        Topologies.await(() -> {
          try {
            return backend.inspect("held").isPresent();
          } catch (LockException e) {
            return false; // not connected again yet
          }
        });
      } finally {
        redis.shutdown();
      }
    }
  }

  private static Object resultOf(FutureTask<AttemptResult> attempt) throws Exception {
    try {
      return attempt.get(30, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      return e.getCause();
    }
  }
}
