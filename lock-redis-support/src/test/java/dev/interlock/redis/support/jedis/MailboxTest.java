package dev.interlock.redis.support.jedis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.redis.support.MailboxMessage;
import dev.interlock.redis.support.contract.Topologies;
import dev.interlock.spi.BackendEvents;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class MailboxTest {
  private static final HoldId ID = new HoldId(1, 2);
  private static final byte[] BYE = {};
  private static final byte[] DIES = {};

  private final BlockingQueue<String> heard = new LinkedBlockingQueue<>();
  private final BlockingQueue<MemoryLink> links = new LinkedBlockingQueue<>();

  @Test
  void handsMessagesToTheEngineAndReportsDoubtAfterEverySubscription() throws Exception {
    try (Mailbox mailbox = open(() -> new MemoryLink())) {
      assertThat(next()).isEqualTo("inDoubt");
      MemoryLink link = links.take();
      link.incoming.add(new MailboxMessage.Wake("a", ID).encode());
      assertThat(next()).isEqualTo("wake a");
      link.incoming.add("no message".getBytes(java.nio.charset.StandardCharsets.UTF_8));
      link.incoming.add(new MailboxMessage.Revoked("b", ID).encode());
      assertThat(next()).isEqualTo("revoked b");
      assertThat(mailbox.isListening()).isTrue();

      link.close();
      assertThat(next()).isEqualTo("inDoubt");
      links.take().incoming.add(new MailboxMessage.Wake("c", ID).encode());
      assertThat(next()).isEqualTo("wake c");
    }
  }

  @Test
  void triesAgainUntilTheServerIsThere() throws Exception {
    int[] failures = {2};
    Supplier<MailboxLink> connector = () -> {
      if (failures[0]-- > 0) {
        throw new IllegalStateException("refused");
      }
      return new MemoryLink();
    };
    try (Mailbox mailbox = open(connector)) {
      assertThat(next()).isEqualTo("inDoubt");
      assertThat(mailbox.isListening()).isTrue();
    }
  }

  @Test
  void P2_anErrorOfTheEngineOrOfAConnectionDoesNotEndTheListening() throws Exception {
    int[] failures = {1};
    Supplier<MailboxLink> connector = () -> {
      if (failures[0]-- > 0) {
        throw new OutOfMemoryError("for the test");
      }
      return new MemoryLink();
    };
    try (Mailbox mailbox = open(connector)) {
      assertThat(next()).isEqualTo("inDoubt");
      MemoryLink link = links.take();
      link.incoming.add(new MailboxMessage.Wake("error", ID).encode());
      link.incoming.add(new MailboxMessage.Wake("a", ID).encode());
      assertThat(next()).isEqualTo("wake a");
      link.incoming.add(DIES);
      assertThat(next()).isEqualTo("inDoubt");
      links.take().incoming.add(new MailboxMessage.Wake("b", ID).encode());
      assertThat(next()).isEqualTo("wake b");
      assertThat(mailbox.isListening()).isTrue();
    }
  }

  @Test
  void W9_connectionsOfWhichNoneLastsAreReplacedMoreAndMoreSlowly() throws Exception {
    int connections = 8;
    long start = System.nanoTime();
    try (Mailbox mailbox = open(() -> {
      MemoryLink cut = new MemoryLink();
      cut.close();
      return cut;
    })) {
      for (int i = 0; i < connections; i++) {
        assertThat(next()).isEqualTo("inDoubt");
      }
      // Each pause between them is at least half of 10 ms, 20 ms, and so on.
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(600));
      // The last one may not have been found cut yet.
      Topologies.await(() -> !mailbox.isListening());
    }
  }

  @Test
  void P2_aConnectionThatGivesNoSignOfLifeIsReplaced() throws Exception {
    try (Mailbox mailbox = open(() -> new MemoryLink())) {
      assertThat(next()).isEqualTo("inDoubt");
      MemoryLink dead = links.take();
      // Nothing is sent until it has been quiet for a while, and then one ping is.
      Topologies.await(() -> {
        mailbox.check();
        return dead.closed;
      });
      assertThat(dead.pings).isEqualTo(1);
      assertThat(next()).isEqualTo("inDoubt");
    }
  }

  @Test
  void E7_closeEndsThreadAndConnection() throws Exception {
    Mailbox mailbox = open(() -> new MemoryLink(), Duration.ofSeconds(20));
    assertThat(next()).isEqualTo("inDoubt");
    mailbox.close();
    mailbox.close();
    assertThat(links.take().closed).isTrue();
    assertThat(Thread.getAllStackTraces().keySet())
        .noneMatch(thread -> thread.getName().equals("interlock-mailbox-test"));
  }

  private Mailbox open(Supplier<? extends MailboxLink> connector) {
    return open(connector, Duration.ofMillis(100));
  }

  private Mailbox open(Supplier<? extends MailboxLink> connector, Duration timeout) {
    BackendEvents events = new BackendEvents() {
      @Override
      public void granted(Grant grant, long notBeforeNanos) {
        heard.add("granted " + grant.name());
      }

      @Override
      public void wake(String name, HoldId id) {
        if (name.equals("error")) {
          throw new OutOfMemoryError("for the test");
        }
        heard.add("wake " + name);
      }

      @Override
      public void revoked(String name, HoldId id) {
        heard.add("revoked " + name);
      }

      @Override
      public void inDoubt() {
        heard.add("inDoubt");
      }
    };
    return Mailbox.open("interlock-mailbox-test", new byte[] {1}, connector, events, timeout);
  }

  private @Nullable String next() throws InterruptedException {
    return heard.poll(10, TimeUnit.SECONDS);
  }

  private final class MemoryLink implements MailboxLink {
    private final BlockingQueue<byte[]> incoming = new LinkedBlockingQueue<>();
    private volatile boolean closed;
    private volatile int pings;

    @Override
    public void subscribe(byte[] channel) {
      links.add(this);
    }

    @Override
    public byte[] read() {
      try {
        byte[] message = incoming.take();
        if (message == BYE) {
          throw new IllegalStateException("closed");
        }
        if (message == DIES) {
          throw new StackOverflowError("for the test");
        }
        return message;
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread pings
    public void ping() {
      pings++;
    }

    @Override
    public void close() {
      closed = true;
      incoming.add(BYE);
    }
  }
}
