package example.h2;

import static java.util.concurrent.TimeUnit.MICROSECONDS;

import dev.interlock.HoldInfo;
import dev.interlock.HostPort;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.ClientId;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.Release;
import dev.interlock.spi.ReleaseResult;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalResult;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The steps. Each is one transaction that begins by locking the row of the name's bucket, so that
 * of two steps on a name one is over before the other looks: see {@link Transactions}.
 */
final class H2Backend implements LockBackend {
  /** The server's time in microseconds; as a number, for H2 sends timestamps by the client's zone. */
  static final String NOW = "CAST(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP) * 1000000 AS BIGINT)";

  private static final String SELECT =
      "SELECT HOLD, OWNER, HOST, SINCE, TOKEN, EXPIRES - " + NOW
          + " FROM LOCKS WHERE NAME = ? AND EXPIRES > " + NOW;
  private static final String INSERT =
      "MERGE INTO LOCKS KEY(NAME) VALUES(?, ?, ?, ?, ?, " + NOW + ", " + NOW + " + ?)";
  private static final String PROLONG =
      "UPDATE LOCKS SET EXPIRES = GREATEST(EXPIRES, " + NOW + " + ?) WHERE NAME = ?";
  private static final String DELETE = "DELETE FROM LOCKS WHERE NAME = ?";

  /** There is no way to be told of a release, so waiters ask. */
  private static final long POLL_MICROS = 20_000;

  private record Held(
      HoldId id, String owner, String host, long since, long token, long microsLeft) {

    static Held of(ResultSet row) throws SQLException {
      return new Held(HoldId.parse(row.getString(1)), row.getString(2), row.getString(3),
          row.getLong(4), row.getLong(5), row.getLong(6));
    }
  }

  private final Transactions transactions;
  private final String prefix;
  private final ClientId client;

  H2Backend(HostPort server, String namespace, ClientId client) {
    this.transactions = new Transactions(server);
    this.prefix = namespace + ":";
    this.client = client;
  }

  @Override
  public AttemptResult attempt(Attempt attempt) {
    return transactions.run(prefix + attempt.name(), step -> {
      Optional<Held> held = held(step);
      if (held.isEmpty()) {
        long token = step.nextToken();
        step.update(INSERT, step.name(), attempt.id().toString(), attempt.owner(), client.host(),
            token, MICROSECONDS.convert(attempt.lease()));
        return new AttemptResult.Granted(token, 1);
      }
      if (held.get().id().equals(attempt.id())) {
        step.update(PROLONG, MICROSECONDS.convert(attempt.lease()), step.name());
        return new AttemptResult.Granted(held.get().token(), 1);
      }
      return new AttemptResult.Busy(duration(Math.min(POLL_MICROS, held.get().microsLeft())));
    });
  }

  @Override
  public List<RenewalResult> renew(List<Renewal> batch) {
    return batch.stream().map(this::renew).toList();
  }

  private RenewalResult renew(Renewal renewal) {
    return transactions.run(prefix + renewal.name(), step -> {
      Optional<Held> held = held(step).filter(found -> found.id().equals(renewal.id()));
      if (held.isEmpty()) {
        return new RenewalResult.Gone();
      }
      step.update(PROLONG, MICROSECONDS.convert(renewal.lease()), step.name());
      return new RenewalResult.Held(held.get().token(), 1);
    });
  }

  @Override
  public ReleaseResult release(Release release) {
    boolean held = remove(release.name(), found -> found.id().equals(release.id()));
    return held ? ReleaseResult.RELEASED : ReleaseResult.NOT_HELD;
  }

  @Override
  public void abandon(String name, HoldId id) {
    remove(name, held -> held.id().equals(id));
  }

  private boolean remove(String name, Predicate<Held> which) {
    return transactions.run(prefix + name, step ->
        held(step).filter(which).isPresent() && step.update(DELETE, step.name()) == 1);
  }

  @Override
  public Optional<HoldInfo> inspect(String name) {
    return transactions.run(prefix + name, step -> held(step).map(held -> {
      Instant since = Instant.EPOCH.plus(duration(held.since()));
      Duration left = duration(held.microsLeft());
      return new HoldInfo(name, held.owner(), held.host(), since, left, held.token(), 0);
    }));
  }

  @Override
  public boolean forceRelease(String name) {
    return remove(name, held -> true);
  }

  @Override
  public String server() {
    return transactions.run(
        "", step -> "H2 " + step.connection().getMetaData().getDatabaseProductVersion());
  }

  @Override
  public void close() {
    transactions.close();
  }

  private static Optional<Held> held(Transactions.Step step) throws SQLException {
    return step.query(SELECT, Held::of, step.name());
  }

  private static Duration duration(long micros) {
    return Duration.ofNanos(1000 * Math.max(1, micros));
  }
}
