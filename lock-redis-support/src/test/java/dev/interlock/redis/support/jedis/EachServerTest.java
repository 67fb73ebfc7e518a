package dev.interlock.redis.support.jedis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.redis.support.contract.Topologies;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class EachServerTest {
  @Test
  void N8_whatFailsOnOneServerEndsNothingBeforeTheOthersHaveAnswered() {
    Thread caller = Thread.currentThread();
    AtomicBoolean goOn = new AtomicBoolean();
    AtomicBoolean answered = new AtomicBoolean();
    Runnable slow = () -> {
      Topologies.await(() -> caller.getState() == Thread.State.WAITING || goOn.get());
      answered.set(true);
    };
    Runnable failing = () -> {
      throw new IllegalStateException("as planned");
    };
    try {
      assertThatThrownBy(() -> EachServer.run(List.of(slow, failing))).hasMessage("as planned");
      assertThat(answered).isTrue();
    } finally {
      goOn.set(true);
    }
  }
}
