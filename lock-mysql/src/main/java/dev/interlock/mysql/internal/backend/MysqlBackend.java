package dev.interlock.mysql.internal.backend;

import dev.interlock.CommonOptions;
import dev.interlock.HoldInfo;
import dev.interlock.LockConfig;
import dev.interlock.LockException;
import dev.interlock.mysql.MysqlOptions;
import dev.interlock.mysql.internal.connection.MysqlDriver;
import dev.interlock.mysql.internal.connection.MysqlFaults;
import dev.interlock.mysql.internal.connection.Packets;
import dev.interlock.mysql.internal.connection.ServerFacts;
import dev.interlock.mysql.internal.grants.Entries;
import dev.interlock.mysql.internal.grants.GrantListener;
import dev.interlock.mysql.internal.grants.Waker;
import dev.interlock.mysql.internal.queue.LocalClient;
import dev.interlock.mysql.internal.queue.Protocol;
import dev.interlock.mysql.internal.queue.Transition;
import dev.interlock.mysql.internal.statements.Inspector;
import dev.interlock.mysql.internal.statements.LockKey;
import dev.interlock.mysql.internal.statements.LockMapper.KnownEntry;
import dev.interlock.mysql.internal.statements.LockSession;
import dev.interlock.mysql.internal.statements.Mappers;
import dev.interlock.mysql.internal.statements.Schema;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.BackendEvents;
import dev.interlock.spi.ClientId;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HandOffBackend;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.HoldPage;
import dev.interlock.spi.HoldQuery;
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.Release;
import dev.interlock.spi.ReleaseResult;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import dev.interlock.spi.WaiterInfo;
import dev.interlock.sql.support.Connections;
import dev.interlock.sql.support.Database;
import dev.interlock.sql.support.LockBatcher;
import dev.interlock.sql.support.Opener;
import dev.interlock.sql.support.Opening;
import dev.interlock.sql.support.Recheck;
import dev.interlock.sql.support.SharedPool;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The backend: single statements where nobody waits, transactions otherwise. */
public final class MysqlBackend implements HandOffBackend, LocalClient {
  private static final int HOST_BYTES = 255;

  private final Database<LockSession> database;
  private final String namespace;
  private final String server;
  private final long client;
  private final byte[] host;
  private final Entries entries = new Entries();
  private final Transactions transactions;
  private final LockBatcher<Operation<?>> batcher;
  private final GrantListener grantListener;
  private final FastPath fastPath;
  private final Renewer renewer;
  private final Inspector inspector;
  private volatile @Nullable BackendEvents events;

  private MysqlBackend(
      Connections connections,
      LockConfig config,
      ClientId id,
      ServerFacts facts,
      boolean isPoolOwn) {
    this.database = Mappers.database(
        connections,
        Mappers.create(config.get(MysqlOptions.TABLE_PREFIX), !isPoolOwn, facts.isMariaDb()),
        config.get(MysqlOptions.TIMEOUT));
    this.namespace = config.get(CommonOptions.NAMESPACE);
    this.server = facts.server();
    this.client = HexFormat.fromHexDigitsToLong(id.id());
    this.host = shortened(id.host());
    Waker waker = new Waker(facts.canWake());
    this.transactions = new Transactions(database, this, namespace, waker, this::granted);
    this.batcher = new LockBatcher<>(this::take);
    this.grantListener = new GrantListener(
        database,
        client,
        namespace + ":",
        entries,
        Math.min(2, config.get(MysqlOptions.TIMEOUT).toMillis() / 2_000.0),
        Protocol.LINGER);
    HandOver handOver = new HandOver(database, waker, isPoolOwn && facts.isMariaDb());
    this.fastPath = new FastPath(database, this, entries, grantListener, handOver, namespace);
    this.renewer = new Renewer(database, entries, this, this::note, namespace, batcher);
    this.inspector = new Inspector(database, namespace);
  }

  public static LockBackend open(LockConfig config, ClientId id) {
    Opening.require(config, "mysql", MysqlOptions.HOSTS, MysqlOptions.USER, MysqlOptions.DATABASE);
    Opener opener = new Opener(MysqlDriver.servers(config));
    ServerFacts facts = Opening.first(
        "mysql", MysqlFaults.FAULTS, opener, connection -> prepare(connection, config, id));
    return new MysqlBackend(MysqlDriver.pool(opener, config, id.id()), config, id, facts, true);
  }

  public static LockBackend over(DataSource pool, LockConfig config, ClientId id) {
    Connections connections = new SharedPool(
        pool, config.get(MysqlOptions.POOL_SIZE), config.get(MysqlOptions.TIMEOUT), new Packets());
    ServerFacts facts = Opening.first(
        "mysql", MysqlFaults.FAULTS, connections, connection -> prepare(connection, config, id));
    return new MysqlBackend(connections, config, id, facts, false);
  }

  /** Looks at a connection, and has there the tables that the client needs. */
  private static ServerFacts prepare(Connection connection, LockConfig config, ClientId id)
      throws SQLException {
    ServerFacts.requireCommits(connection);
    new Schema(config.get(MysqlOptions.TABLE_PREFIX))
        .apply(connection, config.get(MysqlOptions.SCHEMA));
    ServerFacts.warnIfNotDurable(connection);
    return ServerFacts.of(connection, "interlock.probe." + id.id());
  }

  private static byte[] shortened(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    if (bytes.length <= HOST_BYTES) {
      return bytes;
    }
    // Without half a character at the end.
    ByteBuffer buffer = ByteBuffer.wrap(bytes, 0, HOST_BYTES);
    String head = StandardCharsets.UTF_8.decode(buffer).toString().replace("\uFFFD", "");
    return head.getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public void subscribe(BackendEvents listener) {
    events = listener;
    grantListener.tell(listener, this::granted);
  }

  /** A waiter of this client was granted a lock by somebody's transaction. */
  private void granted(Grant grant, @Nullable KnownEntry place, long notBeforeNanos) {
    if (place == null) {
      fastPath.cameFromQueue(grant.id());
      entries.remove(grant.id());
    } else {
      entries.put(place, grant.lease());
    }
    BackendEvents listener = events;
    if (listener != null) {
      listener.granted(grant, notBeforeNanos);
    }
  }

  @Override
  public AttemptResult attempt(Attempt attempt) {
    // Behind waiters of this client it will not get the lock now: its place in the queue may wait.
    long ride = LockBatcher.rideNanos(attempt, entries.rideNanos(attempt.name()));
    Operations.Try operation = new Operations.Try(attempt, this::note);
    if (attempt.capacity() == 1 || !attempt.waits()) {
      return run(attempt.name(), operation, ride);
    }
    entries.wantsPart(attempt.name(), LockKey.of(namespace, attempt.name()));
    try {
      return run(attempt.name(), operation, ride);
    } finally {
      entries.wantsNoPart(attempt.name());
    }
  }

  private <T> T run(String name, Operation<T> operation, long rideNanos) {
    batcher.run(name, operation, rideNanos);
    return operation.outcome().get();
  }

  /** Keeps track of which entries this client has. */
  private void note(String name, HoldId id, Transition transition) {
    entries.note(name, LockKey.of(namespace, name), id, transition);
    fastPath.unlessServed(id);
  }

  /** Does what is asked for in one packet if that may do, and else in a transaction. */
  private void take(String name, List<Operation<?>> operations) {
    if (operations.size() != 1 || !isDoneQuickly(name, operations.get(0))) {
      if (operations.stream().anyMatch(Operation::waits)) {
        grantListener.ensureListening();
      }
      transactions.take(name, operations, fastPath.hasRow(name));
      if (operations.stream().anyMatch(Operation::needsRow)) {
        fastPath.sawRow(name);
      }
    }
  }

  private boolean isDoneQuickly(String name, Operation<?> operation) {
    return operation.tryFast(fastPath, entries.isAwaited(name));
  }

  @Override
  public void renew(List<Renewal> batch, RenewalAnswers answers) {
    renewer.renew(batch, answers);
  }

  @Override
  public ReleaseResult release(Release release) {
    entries.releases(release.name());
    return LockBatcher.release(release, this::giveBack);
  }

  private ReleaseResult giveBack(Release release) {
    Operations.GiveBack operation = new Operations.GiveBack(release, entries, this::note);
    ReleaseResult result = run(release.name(), operation, 0);
    entries.remove(release.id());
    release.passed().forEach(entries::remove);
    abandonAll(release.name(), operation.unseen());
    Grant granted = result.granted();
    if (granted != null) {
      entries.remove(granted.id());
      fastPath.cameFromQueue(granted.id());
    }
    return result;
  }

  private void abandonAll(String name, List<HoldId> unseen) {
    try {
      unseen.forEach(id -> abandon(name, id));
    } catch (LockException e) {
      // What was released stays so. Nobody renews these entries, so they run out.
    }
  }

  @Override
  public void abandon(String name, HoldId id) {
    try {
      run(name, new Operations.Tidy(id), 0);
    } finally {
      entries.remove(id); // nobody waits for it, whether it is gone from the server or not
    }
  }

  @Override
  public Optional<HoldInfo> inspect(String name) {
    return inspector.inspect(name);
  }

  @Override
  public Optional<List<WaiterInfo>> waiters(String name, int limit) {
    return Optional.of(inspector.waiters(name, limit));
  }

  @Override
  public Optional<HoldPage> list(HoldQuery query) {
    return Optional.of(inspector.list(query));
  }

  @Override
  public boolean forceRelease(String name, long fencingToken) {
    List<HoldId> victims = run(name, new Operations.Force(fencingToken), 0);
    BackendEvents listener = events;
    if (listener != null) {
      victims.stream()
          .filter(victim -> victim.high() == client)
          .forEach(victim -> listener.revoked(name, victim));
    }
    return !victims.isEmpty();
  }

  @Override
  public String server() {
    return server;
  }

  @Override
  public void close() {
    grantListener.close();
    database.close();
  }

  @Override
  public long client() {
    return client;
  }

  @Override
  public byte[] host() {
    return Arrays.copyOf(host, host.length);
  }

  @Override
  public boolean listens() {
    return grantListener.isListening();
  }

  @Override
  public Duration recheck(long remainingUs, boolean told) {
    return Recheck.after(remainingUs, told && grantListener.isListening());
  }
}
