package dev.interlock.redis.watch;

import dev.interlock.CommonOptions;
import dev.interlock.HoldInfo;
import dev.interlock.LockConfig;
import dev.interlock.redis.support.KeyLayout;
import dev.interlock.redis.support.LockKeys;
import dev.interlock.redis.support.LockScan;
import dev.interlock.redis.support.jedis.OpeningCheck;
import dev.interlock.redis.support.jedis.ScannedServers;
import dev.interlock.redis.support.jedis.Servers;
import dev.interlock.redis.support.jedis.WakeUps;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.BackendEvents;
import dev.interlock.spi.ClientId;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.HoldPage;
import dev.interlock.spi.HoldQuery;
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import java.util.List;
import java.util.Optional;
import redis.clients.jedis.Protocol.Command;

/** Joins the steps of which the calls of the engine consist. */
final class WatchBackend implements LockBackend {
  private final KeyLayout layout;
  private final Servers servers;
  private final Transactions transactions;
  private final WakeUps wakeUps;
  private final AcquireTransaction acquire;
  private final RenewTransaction renew;
  private final FreeTransaction free;
  private final Inspection inspection;
  private final LockScan scan;
  private final String server;

  WatchBackend(LockConfig config, ClientId client, Servers servers) {
    this.layout = new KeyLayout(config.get(CommonOptions.NAMESPACE));
    this.servers = servers;
    this.transactions = new Transactions(servers);
    this.wakeUps = new WakeUps(
        RedisWatchProvider.ID, layout, client, servers, config.get(RedisWatchOptions.TIMEOUT));
    this.acquire = new AcquireTransaction(transactions, client, wakeUps);
    this.renew = new RenewTransaction(transactions, layout);
    this.free = new FreeTransaction(transactions, layout);
    this.inspection = new Inspection(transactions);
    this.scan = new LockScan(layout, new ScannedServers(servers, layout), inspection::inspect);
    this.server = OpeningCheck.check(servers, layout, client, config, this::mayRunTransactions);
  }

  @Override
  public void subscribe(BackendEvents events) {
    wakeUps.subscribe(events);
  }

  @Override
  public AttemptResult attempt(Attempt attempt) {
    return acquire.attempt(layout.keys(attempt.name()), attempt);
  }

  /** Leaves the next waiter of this client to the engine, which attempts at once. */
  @Override
  public boolean release(String name, HoldId id) {
    return free.release(layout.keys(name), id);
  }

  @Override
  public void renew(List<Renewal> batch, RenewalAnswers answers) {
    renew.renew(batch, answers);
  }

  @Override
  public void abandon(String name, HoldId id) {
    try {
      free.abandon(layout.keys(name), id);
    } finally {
      acquire.forget(id); // a repetition does not need to know, and there may be none
    }
  }

  @Override
  public Optional<HoldInfo> inspect(String name) {
    return inspection.inspect(layout.keys(name));
  }

  @Override
  public Optional<HoldPage> list(HoldQuery query) {
    return Optional.of(scan.list(query));
  }

  @Override
  public boolean forceRelease(String name, long fencingToken) {
    return free.force(layout.keys(name), fencingToken);
  }

  @Override
  public String server() {
    return server;
  }

  @Override
  public void close() {
    wakeUps.close();
    servers.close();
  }

  /**
   * Runs every command once, in a form that changes nothing: only what is there, and nothing is.
   */
  private void mayRunTransactions(LockKeys keys) {
    transactions.run("run the transactions of redis-watch (Redis 6.2 or later)", keys, pipe -> {
      pipe.send(Command.WATCH, keys.lock())
          .send(Command.GETEX, keys.lock())
          .send(Command.PTTL, keys.lock())
          .send(Command.TIME)
          .send(Command.ZSCORE, CommandWords.counter(keys), CommandWords.LAST);
      WaitingList.look(pipe, keys);
      pipe.send(Command.UNWATCH).flush();
      pipe.multi()
          .send(
              Command.SET,
              keys.lock(),
              CommandWords.ONE,
              CommandWords.XX,
              CommandWords.PXAT,
              CommandWords.ONE)
          .send(
              Command.ZADD,
              CommandWords.counter(keys),
              CommandWords.XX,
              CommandWords.GT,
              CommandWords.ONE,
              CommandWords.LAST)
          .send(Command.PEXPIREAT, keys.lock(), CommandWords.ONE)
          .send(Command.PEXPIRE, keys.lock(), CommandWords.ONE)
          .send(Command.ZREMRANGEBYSCORE, keys.due(), CommandWords.LEAST, CommandWords.ZERO)
          .send(Command.ZINTERSTORE, keys.waiting(), CommandWords.TWO, keys.waiting(), keys.due())
          .send(Command.ZCOUNT, keys.due(), CommandWords.ZERO, CommandWords.MOST)
          .send(Command.ZADD, keys.due(), CommandWords.XX, CommandWords.ONE, CommandWords.LAST)
          .send(Command.DEL, keys.lock());
      WaitingList.forget(pipe, keys, CommandWords.LAST);
      return pipe.exec() == null ? null : true;
    });
  }
}
