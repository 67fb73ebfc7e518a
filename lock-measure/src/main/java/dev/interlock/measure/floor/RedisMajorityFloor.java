package dev.interlock.measure.floor;

import dev.interlock.measure.SectionClient;
import dev.interlock.measure.SectionLock;
import dev.interlock.measure.server.RedisPool;
import dev.interlock.measure.server.ServerAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.params.SetParams;

/**
 * The raw floor over several servers, or over one: {@code SET NX PX} and a compare-and-delete by
 * {@code EVALSHA}. The caller's thread sends to all servers, and then reads the answers of a
 * majority. No pool, no other thread, no fencing, no memory of what a server lost. One poll a
 * millisecond while the lock is held by another; where many want it, their votes split, so it is a
 * floor for locks that nobody else wants. It leaves no silent server out, but waits for it.
 */
public final class RedisMajorityFloor implements SectionClient {
  private final List<ServerAddress> servers;
  private final int need;
  private final String compareAndDelete;
  private final String holderPrefix = UUID.randomUUID() + ":";
  private final AtomicLong handles = new AtomicLong();
  private final Queue<Connections> idle = new ConcurrentLinkedQueue<>();
  private final Queue<Connections> opened = new ConcurrentLinkedQueue<>();

  /** Connects to each server. */
  public RedisMajorityFloor(List<ServerAddress> servers) {
    this.servers = List.copyOf(servers);
    this.need = servers.size() / 2 + 1;
    Connections first = new Connections(servers);
    opened.add(first);
    try {
      this.compareAndDelete = first.load(RedisFloor.COMPARE_AND_DELETE);
    } catch (RuntimeException e) {
      close();
      throw e;
    }
    idle.add(first);
  }

  @Override
  public SectionLock lock(String name) {
    return new FloorLock(name);
  }

  private Connections take() {
    Connections free = idle.poll();
    if (free != null) {
      return free;
    }
    Connections more = new Connections(servers);
    opened.add(more);
    return more;
  }

  @Override
  public void close() {
    opened.forEach(Connections::close);
  }

  private final class FloorLock implements SectionLock {
    private final String key;
    /** No other handle's: what an attempt gives back must not be another's lock. */
    private final String ownPrefix = holderPrefix + handles.incrementAndGet() + ":";

    private String holder = "";
    private @Nullable Connections used;
    private long holds;

    FloorLock(String key) {
      this.key = key;
    }

    @Override
    public void lock() throws InterruptedException {
      Connections connections = take();
      used = connections;
      SectionLock.poll(() -> {
        holder = ownPrefix + holds++;
        connections.send(new CommandArguments(Command.SET)
            .key(key)
            .add(holder)
            .addParams(SetParams.setParams().nx().px(RedisFloor.LEASE_MILLIS)));
        boolean taken = connections.answers(need, Objects::nonNull);
        if (!taken) {
          connections.send(giveBack());
        }
        return taken;
      });
    }

    private CommandArguments giveBack() {
      return new CommandArguments(Command.EVALSHA)
          .add(compareAndDelete)
          .add(1)
          .key(key)
          .add(holder);
    }

    @Override
    public void unlock() {
      Connections connections = Objects.requireNonNull(used);
      connections.send(giveBack());
      if (!connections.answers(need, Long.valueOf(1)::equals)) {
        throw new IllegalStateException("the lock was gone at its release");
      }
      idle.add(connections);
    }
  }

  /** A connection to each server, for one thread at a time. */
  private static final class Connections {
    private final List<RawConnection> each = new ArrayList<>();

    Connections(List<ServerAddress> servers) {
      try {
        servers.forEach(server -> each.add(new RawConnection(server)));
      } catch (RuntimeException e) {
        close();
        throw e;
      }
    }

    String load(String script) {
      String digest = "";
      for (RawConnection server : each) {
        server.sendCommand(Command.SCRIPT, "LOAD", script);
        digest = server.getBulkReply();
      }
      return digest;
    }

    void send(CommandArguments command) {
      each.forEach(server -> server.send(command));
    }

    /** Reads answers until so many are as wanted, or all are read. */
    boolean answers(int wanted, Predicate<@Nullable Object> kind) {
      int found = 0;
      for (RawConnection server : each) {
        if (found == wanted) {
          break; // RawConnection reads what is left, sooner or later
        }
        if (kind.test(server.answer())) {
          found++;
        }
      }
      return found == wanted;
    }

    void close() {
      each.forEach(Connection::close);
    }
  }

  /**
   * Sends without waiting for the answer. While the first servers agree, nobody asks for the
   * answers of the others. These are read many at once, long after they arrived: they cost what
   * answers cost, and neither this connection nor the server has to keep them.
   */
  static final class RawConnection extends Connection {
    static final int MOST_UNREAD = 64;

    /** A machine that is too busy to answer is no failure. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private int unread;

    RawConnection(ServerAddress server) {
      super(new HostAndPort(server.host(), server.port()), RedisPool.settings(server, PATIENCE));
    }

    void send(CommandArguments command) {
      if (unread == MOST_UNREAD) {
        answer();
      }
      sendCommand(command);
      flush();
      unread++;
    }

    /** The answer to the last command. Those to earlier ones that nobody read are passed over. */
    @Nullable
    Object answer() {
      Object answer = null;
      for (; unread > 0; unread--) {
        answer = getUnflushedObject();
      }
      return answer;
    }

    /** How many commands have answers that were not read. */
    int unread() {
      return unread;
    }
  }
}
