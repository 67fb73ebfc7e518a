package dev.interlock.quorum;

import dev.interlock.LockConfig;
import dev.interlock.LockException;
import dev.interlock.quorum.internal.member.Marks;
import dev.interlock.quorum.internal.member.Membership;
import dev.interlock.spi.BackendContext;
import dev.interlock.spi.ClientId;
import dev.interlock.spi.LockBackend;
import dev.interlock.tck.internal.fault.FaultProxy;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestRedis;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Redis servers that keep nothing on their disks, and before each of them a proxy for every
 * contender.
 */
final class HarmedMembers implements AutoCloseable {
  /** What is done to a member. */
  enum Harm {
    KILLED,
    /** Killed, and back at once. */
    RESTARTED,
    STOPPED,
    EMPTIED,
    /** Connections are cut, and new ones refused. */
    CUT_OFF,
    /** What it is asked arrives, and its answers do not until it is healed. */
    UNHEARD,
    /** Only some of the contenders are cut off from it. */
    CUT_OFF_FROM_SOME;

    /** Whether the member forgets what it granted. */
    boolean forgets() {
      return this == KILLED || this == RESTARTED || this == EMPTIED;
    }
  }

  private final String provider;
  private final Membership quorum;
  private final List<RedisServer> servers = new ArrayList<>();
  private final List<List<FaultProxy>> proxies = new ArrayList<>();
  private final String options;

  HarmedMembers(String provider, int members, int contenders, String options) throws IOException {
    this.provider = provider;
    this.options = options;
    for (int member = 0; member < members; member++) {
      RedisServer server = TestRedis.builder().owned().start();
      servers.add(server);
      List<FaultProxy> before = new ArrayList<>();
      proxies.add(before);
      for (int contender = 0; contender < contenders; contender++) {
        before.add(FaultProxy.before(server.host(), server.port()));
      }
    }
    this.quorum = ThreeRedis.membership(uri(0));
  }

  /** The quorum as one contender reaches it. */
  String uri(int contender) {
    return ThreeRedis.quorum(
        proxies.stream()
            .map(before -> provider + "://" + before.get(contender).address() + "?timeout=PT1S")
            .toList(),
        options);
  }

  int count() {
    return servers.size();
  }

  /** Harms a member. */
  void harm(int member, Harm harm) {
    RedisServer server = servers.get(member);
    List<FaultProxy> before = proxies.get(member);
    switch (harm) {
      case KILLED -> server.kill();
      case RESTARTED -> {
        server.kill();
        server.start();
      }
      case STOPPED -> server.pause();
      case EMPTIED -> server.command("FLUSHALL");
      case CUT_OFF -> before.forEach(HarmedMembers::cutOff);
      case UNHEARD -> before.forEach(proxy -> proxy.holdReplies(true));
      case CUT_OFF_FROM_SOME ->
        IntStream.range(0, before.size())
            .filter(contender -> contender != member % before.size())
            .forEach(contender -> cutOff(before.get(contender)));
    }
  }

  private static void cutOff(FaultProxy proxy) {
    proxy.refuse(true);
    proxy.cut();
  }

  /** Lets a member come back. */
  void heal(int member) {
    servers.get(member).start();
    proxies.get(member).forEach(FaultProxy::heal);
  }

  /** Lets a member's clock be ahead, as far as tokens of a name go that nobody holds just now. */
  void advance(int member, String name, Duration ahead) {
    String uri = servers.get(member).uri(provider);
    try {
      var unused = Tokens.advance(uri, name, ahead);
    } catch (LockException e) {
      // This is one of those that are harmed.
    }
  }

  /** Whether a member, which is not harmed any more, may vote. */
  boolean isTrusted(int member) {
    BackendContext context = BackendContext.of(new ClientId("0000111122223333", "host:1"));
    String uri = servers.get(member).uri(provider);
    try (LockBackend direct = context.open(LockConfig.parse(uri))) {
      return Marks.isTrusted(quorum, member, direct);
    }
  }

  @Override
  public void close() {
    proxies.stream().flatMap(List::stream).forEach(HarmedMembers::close);
    servers.forEach(RedisServer::close);
  }

  private static void close(FaultProxy proxy) {
    try {
      proxy.close();
    } catch (IOException e) {
      // Then it accepts nothing, either.
    }
  }
}
