package dev.interlock.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import dev.interlock.quorum.internal.member.Member;
import dev.interlock.tck.internal.fault.FaultProxy;
import dev.interlock.tck.internal.fault.Injection;
import dev.interlock.tck.internal.fault.MessageFault;
import dev.interlock.testservers.RedisServer;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two clients enter a lock for one owner. */
@Timeout(60)
class SharedOwnerTest {

  @Test
  @DisplayName("both have one token, though a server that was heard too late has a larger one")
  void haveOneToken() throws Exception {
    LockRequest request = LockRequest.of("a").withOwner("both").withLease(Duration.ofSeconds(30));
    try (ThreeRedis redis = new ThreeRedis();
        FaultProxy silent = before(redis.server(2));
        FaultProxy slow = before(redis.server(1));
        LockClient one = Locks.open(redis.uri("redis-hash", 2, silent.address()));
        LockClient other = Locks.open(redis.uri("redis-hash", 1, slow.address()))) {
      String ahead = redis.server(2).uri("redis-hash");
      assertThat(Tokens.advance(ahead, "a", Duration.ofHours(1))).isTrue();
      silent.holdReplies(true);
      Lease first = one.acquire(request);
      while (redis.server(2).command("KEYS", "*:lock:a").isEmpty()) {
        Thread.sleep(10);
      }
      slow.inject(Injection.of(MessageFault.REPLY_LATE, "a", 1, 1_000, Duration.ofMillis(300)));
      long start;
      Lease second;
      do { // a member that needs a second on a busy machine is none that was slow, but a silent one
        start = System.nanoTime();
        second = other.acquire(request.withWait(Duration.ofSeconds(20)));
        second.release();
      } while (System.nanoTime() - start > Member.SILENT.toNanos());
      assertThat(second.fencingToken()).isEqualTo(first.fencingToken());
    }
  }

  private static FaultProxy before(RedisServer server) throws Exception {
    return FaultProxy.before(server.host(), server.port());
  }
}
