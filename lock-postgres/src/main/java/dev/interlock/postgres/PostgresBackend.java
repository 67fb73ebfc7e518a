package dev.interlock.postgres;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.interlock.CommonOptions;
import dev.interlock.HoldInfo;
import dev.interlock.LockConfig;
import dev.interlock.postgres.LockMapper.Answer;
import dev.interlock.postgres.LockMapper.Item;
import dev.interlock.postgres.LockMapper.Shared;
import dev.interlock.postgres.LockMapper.Step;
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
import dev.interlock.spi.RenewalResult;
import dev.interlock.spi.WaiterInfo;
import dev.interlock.sql.support.Connections;
import dev.interlock.sql.support.LockBatcher;
import dev.interlock.sql.support.Micros;
import dev.interlock.sql.support.Opener;
import dev.interlock.sql.support.Opening;
import dev.interlock.sql.support.Recheck;
import dev.interlock.sql.support.SharedPool;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The backend: each call is one call of a function at the server, in one transaction. */
final class PostgresBackend implements HandOffBackend, GrantListener.Heard {
  private static final String OPENING = "cannot open 'postgres'";
  private static final Duration LISTENER_ENDS = Duration.ofSeconds(1);

  private final Database database;
  private final String namespace;
  private final String server;
  private final long client;
  private final Calls calls;
  private final Inspector inspector;
  private final Notifier notifier;
  private final GrantListener grantListener;
  private final Waiters waiters = new Waiters();
  private final LockBatcher<Operation> batcher = new LockBatcher<>(this::operate);
  private volatile @Nullable BackendEvents events;

  private PostgresBackend(Connections connections, LockConfig config, ClientId id, String server) {
    this.database = new Database(
        connections, config.get(PostgresOptions.TABLE_PREFIX), config.get(PostgresOptions.TIMEOUT));
    this.namespace = config.get(CommonOptions.NAMESPACE) + ":";
    this.inspector = new Inspector(database, config.get(CommonOptions.NAMESPACE));
    this.notifier = new Notifier(database);
    this.server = server;
    this.client = HexFormat.fromHexDigitsToLong(id.id());
    this.calls = new Calls(client, id.host().getBytes(UTF_8));
    this.grantListener = new GrantListener(database, id.id(), this);
  }

  static LockBackend open(LockConfig config, ClientId id) {
    Opening.require(
        config, "postgres", PostgresOptions.HOSTS, PostgresOptions.USER, PostgresOptions.DATABASE);
    PostgresDriver driver = new PostgresDriver(config, id.id());
    Opener opener = new Opener(driver.servers());
    Session session = firstSession(opener, config);
    if (session.direct()) {
      driver.prepareStatements();
    }
    return new PostgresBackend(new OwnPool(opener, config, id.id()), config, id, session.server());
  }

  static LockBackend over(DataSource pool, LockConfig config, ClientId id) {
    Session session = firstSession(pool, config);
    Connections connections = new SharedPool(
        pool,
        config.get(PostgresOptions.POOL_SIZE),
        config.get(PostgresOptions.CONNECT_TIMEOUT),
        SharedPool.Outfit.NONE);
    return new PostgresBackend(connections, config, id, session.server());
  }

  /** Looks at a connection, and has there the tables that the client needs. */
  private static Session firstSession(DataSource source, LockConfig config) {
    try (Connection connection = connection(source)) {
      boolean commits = connection.getAutoCommit();
      connection.setAutoCommit(true);
      Session session = Session.of(connection);
      new Schema(config.get(PostgresOptions.TABLE_PREFIX))
          .apply(connection, config.get(PostgresOptions.SCHEMA));
      session.warnIfNotDurable();
      connection.setAutoCommit(commits);
      return session;
    } catch (SQLException e) {
      throw Faults.translate(OPENING, e, false);
    }
  }

  private static Connection connection(DataSource source) {
    try {
      return source.getConnection();
    } catch (SQLException | RuntimeException e) {
      throw Faults.noConnection(OPENING, e);
    }
  }

  @Override
  public void subscribe(BackendEvents listener) {
    events = listener;
  }

  @Override
  public AttemptResult attempt(Attempt attempt) {
    if (attempt.waits()) {
      grantListener.ensureListening();
    }
    // Behind waiters of this client it will not get the lock now: its place in the queue may wait.
    long ride = Math.min(waiters.rideNanos(attempt.name()), attempt.patience().toNanos() / 2);
    return answer(attempt, run(attempt.name(), new Operation.Acquire(attempt), ride));
  }

  private AttemptResult answer(Attempt attempt, Answer answer) {
    return switch (answer.state) {
      case Answer.HOLDS -> {
        waiters.remove(attempt.name(), attempt.id());
        yield AttemptResult.granted(attempt, answer.token)
            .withTokens(answer.tokens)
            .withHeirs(answer.heirs(client));
      }
      case Answer.WAITS -> {
        waiters.stands(attempt.name(), attempt.id(), look(answer, attempt.lease()));
        yield AttemptResult.queued(recheck(answer.remainingUs));
      }
      default -> {
        waiters.remove(attempt.name(), attempt.id());
        yield AttemptResult.busy(recheck(answer.remainingUs));
      }
    };
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
    byte[] key = key(name);
    List<Step> steps = sorted.stream().map(Operation::step).toList();
    List<HoldId> coming = steps.stream()
        .map(Step::asks)
        .filter(asks -> asks != null && asks.stayUs > 0)
        .map(asks -> asks.id)
        .toList();
    coming.forEach(id -> waiters.comes(name, id));
    long sentAt = System.nanoTime();
    List<Answer> answers;
    try {
      answers = database.run(
          "lock '" + name + "'",
          sorted.get(0).isUrgent(),
          true,
          mapper -> calls.run(mapper, name, key, steps));
    } catch (RuntimeException e) {
      coming.forEach(id -> waiters.failed(name, id));
      throw e;
    }
    answers.forEach(answer -> answer.askedAt = sentAt);
    List<Answer> untold = answers.stream()
        .filter(answer -> !sorted.get(answer.n).tells(answer, client))
        .toList();
    answers.forEach(answer -> sorted.get(answer.n).outcome().succeed(answer));
    untold.forEach(answer -> passOn(name, answer, sorted.get(answer.n).asks(), sentAt));
    if (answers.size() < sorted.size()) {
      operate(name, sorted.subList(answers.size(), sorted.size()));
    }
  }

  @Override
  public void renew(List<Renewal> batch, RenewalAnswers answers) {
    List<Renewal> sorted = new ArrayList<>(batch);
    sorted.sort(Comparator.comparing(renewal -> key(renewal.name()), Arrays::compareUnsigned));
    List<Item> items =
        sorted.stream().map(renewal -> new Item(key(renewal.name()), renewal)).toList();
    long sentAt = System.nanoTime();
    for (Answer answer : change("renewal", mapper -> mapper.renew(items))) {
      Renewal renewal = sorted.get(answer.n);
      passOn(renewal.name(), answer, renewal.id(), sentAt);
      answers.answer(
          renewal,
          switch (answer.state) {
            case Answer.HOLDS -> {
              waiters.remove(renewal.name(), renewal.id());
              yield RenewalResult.held(renewal, answer.token).withTokens(answer.tokens);
            }
            case Answer.WAITS -> {
              answer.askedAt = sentAt;
              waiters.stands(renewal.name(), renewal.id(), look(answer, renewal.lease()));
              yield RenewalResult.queued(recheck(answer.remainingUs));
            }
            default -> {
              waiters.remove(renewal.name(), renewal.id());
              yield RenewalResult.gone();
            }
          });
    }
  }

  @Override
  public ReleaseResult release(Release release) {
    waiters.releases(release.name());
    Answer answer = run(release.name(), new Operation.GiveBack(release, waiters), 0);
    release.passed().forEach(id -> waiters.remove(release.name(), id));
    if (!answer.held) {
      return ReleaseResult.notHeld();
    }
    Attempt next = release.next();
    ReleaseResult result =
        ReleaseResult.released().withNext(next == null ? null : answer(next, answer));
    return answer.isGrantTo(client) ? result.withGranted(grant(release.name(), answer)) : result;
  }

  @Override
  public void abandon(String name, HoldId id) {
    waiters.remove(name, id);
    run(name, new Operation.Abandonment(id), 0);
  }

  @Override
  public Optional<HoldInfo> inspect(String name) {
    return inspector.inspect(name, key(name));
  }

  @Override
  public Optional<List<WaiterInfo>> waiters(String name, int limit) {
    return Optional.of(inspector.waiters(key(name), limit));
  }

  @Override
  public Optional<HoldPage> list(HoldQuery query) {
    return Optional.of(inspector.list(query));
  }

  @Override
  public boolean forceRelease(String name, long fencingToken) {
    long sentAt = System.nanoTime();
    Answer answer =
        change("forced release", mapper -> mapper.force(key(name), client, fencingToken));
    passOn(name, answer, null, sentAt);
    String victims = answer.victims;
    if (victims == null) {
      return false;
    }
    for (String victim : victims.split(" ", -1)) {
      HoldId id = HoldId.parse(victim);
      if (id.high() == client) {
        waiters.doubt(name, id);
        events().revoked(name, id);
      } else {
        notifier.revoked(key(name), id);
      }
    }
    return true;
  }

  @Override
  public String server() {
    return server;
  }

  @Override
  public void close() {
    grantListener.close(LISTENER_ENDS);
    database.close();
  }

  private <T> T change(String what, Function<LockMapper, T> work) {
    return database.run(what, true, true, work);
  }

  private Grant grant(String name, Answer answer) {
    return grant(name, grantee(answer), answer.grantToken, answer.grantTokens, answer.grantUs)
        .withHeirs(answer.heirs(client));
  }

  /** What a waiter of this client has, which therefore waits no more. */
  private Grant grant(String name, HoldId id, long token, int tokens, long us) {
    waiters.remove(name, id);
    calls.granted(name);
    return Grant.of(name, id, token, Micros.toDuration(us)).withTokens(tokens);
  }

  private static HoldId grantee(Answer answer) {
    return new HoldId(Objects.requireNonNull(answer.grantClient), answer.grantHold);
  }

  /**
   * Tells the waiters that have the lock since this step.
   *
   * @param asked who is told by the answer itself
   */
  private void passOn(String name, Answer answer, @Nullable HoldId asked, long sentAt) {
    List<HoldId> others = new ArrayList<>();
    if (answer.isGrantTo(client)) {
      events().granted(grant(name, answer), sentAt);
    } else if (answer.grantClient != null && !answer.told) {
      notifier.granted(
          key(name),
          grantee(answer),
          new Message.Told(
              answer.grantToken,
              answer.grantTokens,
              answer.grantUs,
              answer.heirs(answer.grantClient)));
    }
    for (Shared one : answer.shared()) {
      HoldId id = one.id();
      if (id.high() != client) {
        others.add(id);
      } else if (!id.equals(asked)) {
        events().granted(grant(name, id, one.token(), one.tokens(), one.us()), sentAt);
      }
    }
    if (!others.isEmpty()) {
      notifier.granted(key(name), others);
    }
  }

  @Override
  public void granted(LockMapper mapper, byte[] key, HoldId id, Message.@Nullable Told told) {
    OptionalLong since = told == null ? OptionalLong.empty() : waiters.since(name(key), id, told);
    if (told != null && since.isPresent()) {
      Grant grant = grant(name(key), id, told.token(), told.tokens(), told.us());
      events().granted(grant.withHeirs(told.heirs()), since.getAsLong());
      return;
    }
    // Before the question: the server's remaining time counts from a later moment than this.
    long asked = System.nanoTime();
    Answer found = mapper.pending(key, id);
    if (found != null) {
      Grant grant = grant(name(key), id, found.token, found.tokens, found.remainingUs)
          .withHeirs(found.heirs(client));
      events().granted(grant, asked);
    }
  }

  @Override
  public void revoked(byte[] key, HoldId id) {
    waiters.doubt(name(key), id);
    events().revoked(name(key), id);
  }

  @Override
  public BackendEvents events() {
    return Objects.requireNonNull(events, "subscribe comes first");
  }

  /** A namespace has no colon, so no two locks have one key. */
  private byte[] key(String name) {
    return (namespace + name).getBytes(UTF_8);
  }

  private String name(byte[] key) {
    return new String(key, UTF_8).substring(namespace.length());
  }

  private Duration recheck(long remainingUs) {
    return Recheck.after(remainingUs, grantListener.isListening());
  }
}
