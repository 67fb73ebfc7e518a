package dev.interlock.postgres;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.interlock.CommonOptions;
import dev.interlock.HoldInfo;
import dev.interlock.LockConfig;
import dev.interlock.LockConfigurationException;
import dev.interlock.LockException;
import dev.interlock.Option;
import dev.interlock.postgres.LockMapper.Answer;
import dev.interlock.postgres.LockMapper.Inspection;
import dev.interlock.postgres.LockMapper.Item;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.BackendEvents;
import dev.interlock.spi.ClientId;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HandOffBackend;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.Release;
import dev.interlock.spi.ReleaseResult;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import dev.interlock.spi.RenewalResult;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The backend: each call is one call of a function at the server, in one transaction. */
final class PostgresBackend implements HandOffBackend, GrantListener.Heard {
  private static final Logger LOG = System.getLogger(PostgresBackend.class.getName());

  /** How long a waiter stays in the queue without a sign of life. */
  private static final long ENTRY_US = 10_000_000;

  /** The longest time between two re-checks of a waiter. Bounds the cost of a lost message. */
  private static final Duration RECHECK = Duration.ofSeconds(1);

  /** The same for a client that cannot be told of a grant. */
  private static final Duration POLL = Duration.ofMillis(100);

  private static final Duration LISTENER_ENDS = Duration.ofSeconds(1);

  private final Database database;
  private final String namespace;
  private final String server;
  private final long client;
  private final byte[] host;
  private final GrantListener grantListener;
  private volatile @Nullable BackendEvents events;

  private PostgresBackend(Database database, LockConfig config, ClientId id, String server) {
    this.database = database;
    this.namespace = config.get(CommonOptions.NAMESPACE) + ":";
    this.server = server;
    this.client = HexFormat.fromHexDigitsToLong(id.id());
    this.host = id.host().getBytes(UTF_8);
    this.grantListener = new GrantListener(database, id.id(), this);
  }

  static LockBackend open(LockConfig config, ClientId id) {
    String missing = Stream.<Option<?>>of(
            PostgresOptions.HOSTS, PostgresOptions.USER, PostgresOptions.DATABASE)
        .filter(option -> config.find(option).isEmpty())
        .map(Option::name)
        .collect(Collectors.joining(", "));
    if (!missing.isEmpty()) {
      throw new LockConfigurationException("Cannot open 'postgres': " + missing
          + " missing, expected postgres://user:password@host/database");
    }
    Servers servers = new Servers(config, id.id());
    Session session;
    try (Connection connection = connection(servers::open)) {
      session = prepare(connection, config);
    } catch (SQLException e) {
      throw Faults.translate("cannot open 'postgres'", e, false);
    }
    if (session.direct()) {
      servers.prepareStatements();
    }
    return new PostgresBackend(
        database(Connections.own(servers, config, id.id()), config), config, id, session.server());
  }

  static LockBackend over(DataSource pool, LockConfig config, ClientId id) {
    Session session;
    try (Connection connection = connection(pool::getConnection)) {
      boolean commits = connection.getAutoCommit();
      connection.setAutoCommit(true);
      session = prepare(connection, config);
      connection.setAutoCommit(commits);
    } catch (SQLException e) {
      throw Faults.translate("cannot open 'postgres'", e, false);
    }
    return new PostgresBackend(
        database(Connections.over(pool, config), config), config, id, session.server());
  }

  private interface Source {
    Connection connect() throws SQLException;
  }

  private static Connection connection(Source source) {
    try {
      return source.connect();
    } catch (SQLException | RuntimeException e) {
      throw Faults.noConnection("cannot open 'postgres'", e);
    }
  }

  private static Session prepare(Connection connection, LockConfig config) throws SQLException {
    Session session = Session.of(connection);
    new Schema(config.get(PostgresOptions.TABLE_PREFIX))
        .apply(connection, config.get(PostgresOptions.SCHEMA));
    session.warnIfNotDurable();
    return session;
  }

  private static Database database(Connections connections, LockConfig config) {
    return new Database(
        connections, config.get(PostgresOptions.TABLE_PREFIX), config.get(PostgresOptions.TIMEOUT));
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
    byte[] key = key(attempt.name());
    byte[] owner = attempt.owner().getBytes(UTF_8);
    long stayUs = attempt.waits() ? Math.min(ENTRY_US, micros(attempt.patience()) + 1_000_000) : 0;
    long sentAt = System.nanoTime();
    Answer answer = database.run(
        "attempt",
        false,
        true,
        mapper -> mapper.attempt(
            key,
            attempt.id(),
            owner,
            attempt.sharedOwner(),
            host,
            micros(attempt.lease()),
            attempt.tokens(),
            stayUs));
    passOn(attempt.name(), answer, sentAt);
    return switch (answer.state) {
      case Answer.HOLDS -> AttemptResult.granted(attempt, answer.token).withTokens(answer.tokens);
      case Answer.WAITS -> AttemptResult.queued(recheck(answer.remainingUs));
      default -> AttemptResult.busy(recheck(answer.remainingUs));
    };
  }

  @Override
  public void renew(List<Renewal> batch, RenewalAnswers answers) {
    List<Renewal> sorted = new ArrayList<>(batch);
    sorted.sort(Comparator.comparing(renewal -> key(renewal.name()), Arrays::compareUnsigned));
    List<Item> items = sorted.stream()
        .map(renewal -> new Item(key(renewal.name()), renewal.id(), micros(renewal.lease())))
        .toList();
    long sentAt = System.nanoTime();
    for (Answer answer : change("renewal", mapper -> mapper.renew(items))) {
      Renewal renewal = sorted.get(answer.n);
      passOn(renewal.name(), answer, sentAt);
      answers.answer(
          renewal,
          switch (answer.state) {
            case Answer.HOLDS ->
              RenewalResult.held(renewal, answer.token).withTokens(answer.tokens);
            case Answer.WAITS -> RenewalResult.queued(recheck(answer.remainingUs));
            default -> RenewalResult.gone();
          });
    }
  }

  @Override
  public ReleaseResult release(Release release) {
    List<HoldId> ids = new ArrayList<>(List.of(release.id()));
    ids.addAll(release.passed());
    byte[] key = key(release.name());
    long sentAt = System.nanoTime();
    Answer answer = change("release", mapper -> mapper.leave(key, client, ids));
    if (answer.state != Answer.HOLDS) {
      passOn(release.name(), answer, sentAt);
      return ReleaseResult.notHeld();
    }
    if (isMine(answer)) {
      return ReleaseResult.released().withGranted(grant(release.name(), answer));
    }
    passOn(release.name(), answer, sentAt);
    return ReleaseResult.released();
  }

  @Override
  public void abandon(String name, HoldId id) {
    long sentAt = System.nanoTime();
    Answer answer = change("clean-up", mapper -> mapper.leave(key(name), client, List.of(id)));
    passOn(name, answer, sentAt);
  }

  @Override
  public Optional<HoldInfo> inspect(String name) {
    Inspection found = database.run(
        "inspect",
        true,
        false,
        mapper -> Objects.requireNonNullElseGet(mapper.inspect(key(name)), Inspection::new));
    if (found.remainingUs <= 0) {
      return Optional.empty();
    }
    return Optional.of(HoldInfo.of(
        name,
        new String(found.owner, UTF_8),
        new String(found.host, UTF_8),
        Instant.EPOCH.plus(found.sinceUs, ChronoUnit.MICROS),
        ofMicros(found.remainingUs),
        found.token,
        found.waiters));
  }

  @Override
  public boolean forceRelease(String name, long fencingToken) {
    long sentAt = System.nanoTime();
    Answer answer =
        change("forced release", mapper -> mapper.force(key(name), client, fencingToken));
    passOn(name, answer, sentAt);
    String victims = answer.victims;
    if (victims == null) {
      return false;
    }
    for (String victim : victims.split(" ", -1)) {
      HoldId id = HoldId.parse(victim);
      if (id.high() == client) {
        events().revoked(name, id);
      } else {
        tell(id, GrantListener.revocation(key(name), id));
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

  private boolean isMine(Answer answer) {
    return answer.grantClient != null && answer.grantClient == client;
  }

  private static Grant grant(String name, Answer answer) {
    return Grant.of(name, grantee(answer), answer.grantToken, ofMicros(answer.grantUs))
        .withTokens(answer.grantTokens);
  }

  private static HoldId grantee(Answer answer) {
    return new HoldId(Objects.requireNonNull(answer.grantClient), answer.grantHold);
  }

  /** Tells the waiter that has the lock since this step. */
  private void passOn(String name, Answer answer, long sentAt) {
    if (isMine(answer)) {
      events().granted(grant(name, answer), sentAt);
    } else if (answer.grantClient != null) {
      HoldId id = grantee(answer);
      tell(id, GrantListener.grant(key(name), id));
    }
  }

  /** Outside of the step's transaction. If it fails, the other finds out when it looks again. */
  private void tell(HoldId id, String message) {
    String channel = GrantListener.channel(HexFormat.of().toHexDigits(id.high()));
    try {
      database.run("notification", true, false, mapper -> mapper.tell(channel, message));
    } catch (LockException e) {
      LOG.log(Level.DEBUG, "another client was not told of its grant", e);
    }
  }

  @Override
  public void granted(LockMapper mapper, byte[] key, HoldId id) {
    // Before the question: the server's remaining time counts from a later moment than this.
    long asked = System.nanoTime();
    Answer found = mapper.pending(key, id);
    if (found != null) {
      events()
          .granted(
              Grant.of(name(key), id, found.token, ofMicros(found.remainingUs))
                  .withTokens(found.tokens),
              asked);
    }
  }

  @Override
  public void revoked(byte[] key, HoldId id) {
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

  /** When a waiter should look again. */
  private Duration recheck(long remainingUs) {
    Duration longest = untilTick(grantListener.isListening() ? RECHECK : POLL);
    // Not before the lease is over by the server's clock, or the look would be for nothing.
    Duration lease = ofMicros(Math.max(1_000, remainingUs + 1_000));
    return lease.compareTo(longest) < 0 ? lease : longest;
  }

  /** All waiters of this client look again at the same ticks, and so in the same batch. */
  private static Duration untilTick(Duration period) {
    long nanos = period.toNanos();
    long left = nanos - Math.floorMod(System.nanoTime(), nanos);
    return Duration.ofNanos(left < nanos / 4 ? left + nanos : left);
  }

  private static long micros(Duration duration) {
    return TimeUnit.SECONDS.toMicros(duration.getSeconds()) + duration.getNano() / 1_000;
  }

  private static Duration ofMicros(long micros) {
    return Duration.of(micros, ChronoUnit.MICROS);
  }
}
