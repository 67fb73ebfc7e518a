package dev.interlock.redis.hash.internal.push;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.redis.support.contract.Topologies;
import dev.interlock.spi.BackendEvents;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.pubsub.api.async.RedisPubSubAsyncCommands;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Lettuce drops what its replay filter names as a connection breaks, and tells nobody. */
@Timeout(60)
class DroppedSubscriptionTest {
  private final AtomicInteger asked = new AtomicInteger();

  @SuppressWarnings("unchecked")
  private StatefulRedisPubSubConnection<byte[], byte[]> dropping() {
    InvocationHandler commands = (proxy, method, arguments) -> {
      asked.incrementAndGet();
      return new AsyncCommand<>(
          new Command<>(CommandType.SUBSCRIBE, new StatusOutput<>(ByteArrayCodec.INSTANCE)));
    };
    RedisPubSubAsyncCommands<byte[], byte[]> async =
        proxy(RedisPubSubAsyncCommands.class, commands);
    return proxy(
        StatefulRedisPubSubConnection.class,
        (proxy, method, arguments) -> method.getName().equals("async")
            ? async
            : method.getName().equals("isOpen") ? true : null);
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }

  @Test
  void P2_aSubscriptionThatIsNotAnsweredIsAskedForAgain() {
    try (PushMailbox mailbox = PushMailbox.open(
        Listeners.of(dropping()),
        new byte[] {'c'},
        name -> new SendTimes(),
        BackendEvents.IGNORED)) {
      mailbox.check();
      assertThat(asked).as("one at a time").hasValue(1);
      Topologies.await(() -> {
        mailbox.check();
        return asked.get() > 1;
      });
    }
  }
}
