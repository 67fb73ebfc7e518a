package dev.interlock.testservers;

import dev.interlock.tck.TckFault;
import dev.interlock.tck.TckServer;
import dev.interlock.testservers.internal.redis.RedisAtEndpoint;
import dev.interlock.testservers.internal.redis.RedisEndpoint;
import dev.interlock.testservers.internal.redis.TransactionAborts;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/** What the kit may do to a Redis server: everything to one of our own, nothing to a given one. */
public final class RedisFaults implements TckServer {
  /** More than the engine's own repetition of an attempt makes up for. */
  private static final int ABORTS = 3;

  private final RedisServer server;
  private final TransactionAborts aborts;

  private RedisFaults(RedisServer server, RedisEndpoint endpoint) {
    this.server = server;
    this.aborts = new TransactionAborts(endpoint);
  }

  /** Offers the faults of a server that nothing else uses during the run. */
  public static RedisFaults of(RedisServer server) {
    // Every server of this module is one.
    return new RedisFaults(server, ((RedisAtEndpoint) server).endpoint());
  }

  @Override
  public Set<TckFault> faults() {
    return server.isControllable()
        ? EnumSet.complementOf(EnumSet.of(TckFault.CONNECTION))
        : EnumSet.noneOf(TckFault.class);
  }

  @Override
  public void heal() {
    if (server.isControllable()) {
      server.start();
      readOnly(false);
      full(false);
    }
  }

  @Override
  public void pause() {
    server.pause();
  }

  @Override
  public void resume() {
    server.resume();
  }

  @Override
  public void kill() {
    server.kill();
  }

  @Override
  public void start() {
    server.start();
  }

  @Override
  public void loseState() {
    server.command("FLUSHALL");
  }

  @Override
  public void closeClients() {
    server.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
    server.command("CLIENT", "KILL", "TYPE", "pubsub", "SKIPME", "yes");
  }

  /**
   * Every script is answered NOSCRIPT once, and up to three of the next transactions that watch a
   * key are not run.
   *
   * @return whether there were scripts to forget, or transactions that were not run since the last
   *     time
   */
  @Override
  public boolean disturb() {
    boolean aborted = aborts.order(ABORTS) > 0;
    boolean none = server.command("INFO", "memory").contains("number_of_cached_scripts:0");
    server.command("SCRIPT", "FLUSH");
    return !none || aborted;
  }

  /** As a replica whose master is away: it answers READONLY to every write. */
  @Override
  public void readOnly(boolean on) {
    if (on) {
      server.command("REPLICAOF", "127.0.0.1", "1");
    } else {
      server.command("REPLICAOF", "NO", "ONE");
    }
  }

  /** Over its limit of memory, with nothing that it may evict. */
  @Override
  public void full(boolean on) {
    server.command("CONFIG", "SET", "maxmemory-policy", "noeviction");
    server.command("CONFIG", "SET", "maxmemory", on ? "1" : "0");
  }

  /**
   * Tells why locks in transactions cannot keep rule E10 on this server: Redis 6.2 and 7.0 refuse
   * every command of a transaction while they are full, Redis 8 and Valkey 9 only those that need
   * room.
   *
   * @return a reason to waive the rule; empty if the server lets such a lock keep it
   */
  public Optional<String> fullMeansNoTransactions() {
    String version = server.version();
    boolean refuses = version.matches("[67]\\..*");
    return refuses
        ? Optional.of(
            "Redis " + version + " refuses every command of a transaction while it is full")
        : Optional.empty();
  }

  /** The key of the lock becomes a list, which no provider uses. */
  @Override
  public void spoil(String name) {
    String key = server.command("KEYS", "*:lock:" + name);
    server.command("DEL", key);
    server.command("RPUSH", key, "not a lock");
  }
}
