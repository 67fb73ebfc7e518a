package dev.interlock.postgres.internal.backend;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.interlock.BackendRefusedException;
import dev.interlock.CommonOptions;
import dev.interlock.HoldInfo;
import dev.interlock.LockConfig;
import dev.interlock.LockException;
import dev.interlock.postgres.PostgresOptions;
import dev.interlock.postgres.internal.connection.PostgresDriver;
import dev.interlock.postgres.internal.connection.PostgresFaults;
import dev.interlock.postgres.internal.connection.ServerFacts;
import dev.interlock.postgres.internal.grants.GrantListener;
import dev.interlock.postgres.internal.grants.Grants;
import dev.interlock.postgres.internal.grants.Waiters;
import dev.interlock.postgres.internal.statements.Calls;
import dev.interlock.postgres.internal.statements.LockMapper;
import dev.interlock.postgres.internal.statements.LockMapper.Answer;
import dev.interlock.postgres.internal.statements.LockMapper.Item;
import dev.interlock.postgres.internal.statements.LockMapper.Place;
import dev.interlock.postgres.internal.statements.LockMapper.Step;
import dev.interlock.postgres.internal.statements.Schema;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.BackendEvents;
import dev.interlock.spi.ClientId;
import dev.interlock.spi.HandOffBackend;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.HoldPage;
import dev.interlock.spi.HoldQuery;
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.Release;
import dev.interlock.spi.ReleaseResult;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import dev.interlock.spi.RenewalResult;
import dev.interlock.spi.WaiterInfo;
import dev.interlock.sql.support.AttemptParameters;
import dev.interlock.sql.support.Connections;
import dev.interlock.sql.support.Database;
import dev.interlock.sql.support.HoldRow;
import dev.interlock.sql.support.Listener;
import dev.interlock.sql.support.LockBatcher;
import dev.interlock.sql.support.MapperFactory;
import dev.interlock.sql.support.Micros;
import dev.interlock.sql.support.NameRange;
import dev.interlock.sql.support.Opener;
import dev.interlock.sql.support.Opening;
import dev.interlock.sql.support.Recheck;
import dev.interlock.sql.support.Session;
import dev.interlock.sql.support.SharedPool;
import dev.interlock.sql.support.WaiterRow;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import javax.sql.DataSource;

/** The backend: each call is one call of a function at the server, in one transaction. */
public final class PostgresBackend implements HandOffBackend {
  private static final String OPENING = "cannot open 'postgres'";

  private final Database<Session<LockMapper>> database;
  private final String server;
  private final long client;
  private final byte[] host;
  private final Calls calls = new Calls();
  private final String namespace;
  private final Grants grants;
  private final Listener listener;
  private final Waiters waiters = new Waiters();
  private final LockBatcher<Operation> batcher = new LockBatcher<>(this::operate);

  private PostgresBackend(
      Connections connections, LockConfig config, ClientId id, ServerFacts facts) {
    this.database = new Database<>(
        connections,
        MapperFactory.of(
            LockMapper.class, Map.of("prefix", config.get(PostgresOptions.TABLE_PREFIX))),
        (sql, connection) -> new Session<>(sql.getMapper(LockMapper.class)),
        config.get(PostgresOptions.TIMEOUT),
        PostgresFaults.FAULTS);
    this.namespace = config.get(CommonOptions.NAMESPACE);
    this.server = facts.server();
    this.client = HexFormat.fromHexDigitsToLong(id.id());
    this.host = id.host().getBytes(UTF_8);
    this.grants = new Grants(client, namespace, database, waiters, calls);
    this.listener = GrantListener.of(database, id.id(), grants);
  }

  public static LockBackend open(LockConfig config, ClientId id) {
    Opening.require(
        config, "postgres", PostgresOptions.HOSTS, PostgresOptions.USER, PostgresOptions.DATABASE);
    PostgresDriver driver = new PostgresDriver(config, id.id());
    Opener opener = new Opener(driver.servers());
    ServerFacts facts = Opening.first(
        OPENING, PostgresFaults.FAULTS, opener, connection -> prepare(connection, config));
    if (facts.direct()) {
      driver.goDirect();
    }
    return new PostgresBackend(PostgresDriver.pool(opener, config, id.id()), config, id, facts);
  }

  public static LockBackend over(DataSource pool, LockConfig config, ClientId id) {
    Connections connections = new SharedPool(
        pool,
        config.get(PostgresOptions.POOL_SIZE),
        config.get(PostgresOptions.CONNECT_TIMEOUT),
        SharedPool.Outfit.NONE);
    ServerFacts facts = Opening.first(
        OPENING, PostgresFaults.FAULTS, connections, connection -> prepare(connection, config));
    return new PostgresBackend(connections, config, id, facts);
  }

  /** Looks at a connection, and has there the tables that the client needs. */
  private static ServerFacts prepare(Connection connection, LockConfig config) throws SQLException {
    ServerFacts facts = ServerFacts.of(connection);
    new Schema(config.get(PostgresOptions.TABLE_PREFIX))
        .apply(connection, config.get(PostgresOptions.SCHEMA));
    return facts;
  }

  @Override
  public void subscribe(BackendEvents events) {
    grants.tell(events);
  }

  @Override
  public AttemptResult attempt(Attempt attempt) {
    if (attempt.waits()) {
      listener.ensure();
    }
    // Behind waiters of this client it will not get the lock now: its place in the queue may wait.
    long ride = LockBatcher.rideNanos(attempt, waiters.rideNanos(attempt.name()));
    return answer(attempt, run(attempt.name(), Operation.acquire(attempt), ride));
  }

  private AttemptResult answer(Attempt attempt, Answer answer) {
    if (answer.state == Answer.WAITS) {
      waiters.stands(attempt.name(), attempt.id(), look(answer, attempt.lease()));
      return AttemptResult.queued(recheck(answer.remainingUs));
    }
    waiters.remove(attempt.name(), attempt.id());
    return answer.state == Answer.HOLDS
        ? AttemptResult.granted(attempt, answer.token)
            .withTokens(answer.tokens)
            .withHeirs(answer.heirs(client))
        : AttemptResult.busy(recheck(answer.remainingUs));
  }

  private static Waiters.Look look(Answer answer, Duration lease) {
    return new Waiters.Look(answer.askedAt, answer.token, Micros.of(lease));
  }

  private Answer run(String name, Operation operation, long rideNanos) {
    batcher.run(name, operation, rideNanos);
    return operation.outcome().get();
  }

  /** Does all of them, those first that free the lock, and tells who has it. */
  private void operate(String name, List<Operation> operations) {
    List<Operation> sorted = new ArrayList<>(operations);
    sorted.sort(Comparator.comparing(operation -> !operation.isUrgent()));
    Place at = new Place(grants.key(name), client, host);
    List<Step> steps = sorted.stream().map(Operation::step).toList();
    List<HoldId> coming = steps.stream()
        .map(Step::asks)
        .filter(asks -> asks != null && asks.stayUs() > 0)
        .map(AttemptParameters::id)
        .toList();
    coming.forEach(id -> waiters.comes(name, id));
    long sentAt = System.nanoTime();
    List<Answer> answers;
    try {
      answers = change(
          "lock '" + name + "'",
          sorted.get(0).isUrgent(),
          mapper -> calls.run(mapper, name, at, steps));
    } catch (RuntimeException e) {
      coming.forEach(id -> waiters.failed(name, id));
      throw e;
    }
    answers.forEach(answer -> answer.askedAt = sentAt);
    List<Answer> untold = answers.stream()
        .filter(answer -> !sorted.get(answer.n).tells(answer, client))
        .toList();
    answers.forEach(answer -> sorted.get(answer.n).outcome().succeed(answer));
    untold.forEach(answer -> grants.passOn(name, answer, sorted.get(answer.n).asks(), sentAt));
    if (answers.size() < sorted.size()) {
      operate(name, sorted.subList(answers.size(), sorted.size()));
    }
  }

  /**
   * First those holds of which the row is free: a row that somebody keeps locked, as an operator
   * may, must not cost the others their leases. Then the rest of them, lock by lock, so that the
   * readers of a busy lock wait for its row once. Last the waiters, most of whom are only read,
   * which waits for no row lock; likewise without some if it must be.
   */
  @Override
  public void renew(List<Renewal> batch, RenewalAnswers answers) {
    List<Renewal> open = new ArrayList<>(batch);
    open.sort(Comparator.comparing(renewal -> grants.key(renewal.name()), Arrays::compareUnsigned));
    List<Renewal> holds = open.stream().filter(renewal -> !renewal.queued()).toList();
    renewFree(holds, open, answers);
    renewByLock(holds, open, answers);
    if (!open.isEmpty()) {
      refresh(open, answers);
    }
  }

  /** Takes out of the open ones those of which the row is free; none if one of them is refused. */
  private void renewFree(List<Renewal> some, List<Renewal> open, RenewalAnswers answers) {
    try {
      open.removeAll(some.isEmpty() ? some : renew(some, true, answers));
    } catch (BackendRefusedException e) {
      // Lock by lock it turns out whose row makes no sense.
    }
  }

  /** Takes all that are open out of the open ones. */
  private void renewByLock(List<Renewal> some, List<Renewal> open, RenewalAnswers answers) {
    for (Renewal renewal : some) {
      if (open.contains(renewal)) {
        List<Renewal> ofLock = some.stream()
            .filter(other -> other.name().equals(renewal.name()) && open.remove(other))
            .toList();
        try {
          renew(ofLock, false, answers);
        } catch (LockException e) {
          ofLock.forEach(one -> answers.answer(one, RenewalResult.failed(e)));
          // That took its time: whose row is free by now waits for no other.
          renewFree(List.copyOf(open), open, answers);
        }
      }
    }
  }

  private void refresh(List<Renewal> queue, RenewalAnswers answers) {
    try {
      renew(queue, false, answers);
    } catch (BackendRefusedException e) {
      renewByLock(List.copyOf(queue), queue, answers);
    } catch (LockException e) {
      renewFree(List.copyOf(queue), queue, answers);
      queue.forEach(one -> answers.answer(one, RenewalResult.failed(e)));
    }
  }

  /** Answers which ones it has answered, before others are told what this made of the locks. */
  private List<Renewal> renew(List<Renewal> some, boolean ifFree, RenewalAnswers answers) {
    List<Item> items = some.stream()
        .map(renewal -> new Item(grants.key(renewal.name()), renewal))
        .toList();
    long sentAt = System.nanoTime();
    List<Answer> found = change("renewal", true, mapper -> mapper.renew(items, ifFree));
    found.forEach(answer -> {
      Renewal renewal = some.get(answer.n);
      answer.askedAt = sentAt;
      answers.answer(renewal, result(renewal, answer));
    });
    found.forEach(answer -> {
      Renewal renewal = some.get(answer.n);
      grants.passOn(renewal.name(), answer, renewal.id(), sentAt);
    });
    return found.stream().map(answer -> some.get(answer.n)).toList();
  }

  private RenewalResult result(Renewal renewal, Answer answer) {
    boolean ownerHolds = answer.state == Answer.WAITS_BEHIND_OWNER;
    if (ownerHolds || answer.state == Answer.WAITS) {
      waiters.stands(renewal.name(), renewal.id(), look(answer, renewal.lease()));
      return RenewalResult.queued(recheck(answer.remainingUs)).withOwnerHolds(ownerHolds);
    }
    waiters.remove(renewal.name(), renewal.id());
    return answer.state == Answer.HOLDS
        ? RenewalResult.held(renewal, answer.token).withTokens(answer.tokens)
        : RenewalResult.gone();
  }

  @Override
  public ReleaseResult release(Release release) {
    waiters.releases(release.name());
    return LockBatcher.release(release, this::giveBack);
  }

  private ReleaseResult giveBack(Release release) {
    Answer answer = run(release.name(), Operation.giveBack(release, waiters), 0);
    release.passed().forEach(id -> waiters.remove(release.name(), id));
    if (!answer.held) {
      return ReleaseResult.notHeld();
    }
    Attempt next = release.next();
    ReleaseResult result =
        ReleaseResult.released().withNext(next == null ? null : answer(next, answer));
    return answer.isGrantTo(client)
        ? result.withGranted(grants.of(release.name(), answer))
        : result;
  }

  @Override
  public void abandon(String name, HoldId id) {
    waiters.remove(name, id);
    run(name, Operation.abandon(id), 0);
  }

  @Override
  public Optional<HoldInfo> inspect(String name) {
    return HoldRow.holder(name, read("inspect", mapper -> mapper.inspect(grants.key(name))));
  }

  @Override
  public Optional<List<WaiterInfo>> waiters(String name, int limit) {
    return Optional.of(WaiterRow.infos(
        read("list the waiters", mapper -> mapper.waiters(grants.key(name), limit))));
  }

  /** {@inheritDoc} Reads on from a lock. */
  @Override
  public Optional<HoldPage> list(HoldQuery query) {
    NameRange range = new NameRange(namespace, query.prefix());
    byte[] after = query.after().map(HexFormat.of()::parseHex).orElse(null);
    List<HoldRow> rows =
        read("list", mapper -> mapper.list(after, range.start(), range.end(), query.limit()));
    return Optional.of(HoldRow.page(
        rows,
        query.limit(),
        row -> range.name(row.lockKey()),
        row -> HexFormat.of().formatHex(row.lockKey())));
  }

  @Override
  public boolean forceRelease(String name, long fencingToken) {
    long sentAt = System.nanoTime();
    Answer answer = change(
        "forced release", true, mapper -> mapper.force(grants.key(name), client, fencingToken));
    grants.passOn(name, answer, null, sentAt);
    String victims = answer.victims;
    if (victims == null) {
      return false;
    }
    for (String victim : victims.split(" ", -1)) {
      grants.takenAway(name, HoldId.parse(victim));
    }
    return true;
  }

  @Override
  public String server() {
    return server;
  }

  @Override
  public void close() {
    listener.close();
    database.close();
  }

  private <T> T change(String what, boolean urgent, Function<LockMapper, T> work) {
    return database.run(what, urgent, session -> {
      session.changes();
      return work.apply(session.mapper());
    });
  }

  private <T> T read(String what, Function<LockMapper, T> work) {
    return database.run(what, true, session -> work.apply(session.mapper()));
  }

  private Duration recheck(long remainingUs) {
    return Recheck.after(remainingUs, listener.isUp());
  }
}
