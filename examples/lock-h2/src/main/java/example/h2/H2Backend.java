package example.h2;

import static java.util.concurrent.TimeUnit.MICROSECONDS;

import dev.interlock.HoldInfo;
import dev.interlock.HostPort;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.ClientId;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import dev.interlock.spi.RenewalResult;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

/**
 * The steps. Each is one statement and so one transaction; those that take or repeat a hold, or
 * raise its token, are functions within the server: {@link Attempts}. A statement that has to wait for a row looks at
 * its condition again when it has it.
 *
 * <p>If the client dies before its request has arrived, nothing has happened; if it dies later, a
 * lease is left that runs out. If the answer is lost, only the server knows, and the engine repeats
 * or abandons. A step that runs twice or late finds by the hold's id whether it still has a say.
 */
final class H2Backend implements LockBackend {
  private static final String RENEW =
      "SELECT HOLD, TOKEN FROM FINAL TABLE (MERGE INTO LOCKS USING UNNEST(CAST(? AS VARCHAR ARRAY),"
          + " CAST(? AS VARCHAR ARRAY), CAST(? AS BIGINT ARRAY)) AS DUE(N, H, LEASE)"
          + " ON NAME = N AND HOLD = H AND EXPIRES > " + Attempts.NOW
          + " WHEN MATCHED THEN UPDATE SET EXPIRES = GREATEST(EXPIRES, "
          + Attempts.NOW + " + LEASE))";
  private static final String HELD = " FROM LOCKS WHERE NAME = ? AND EXPIRES > " + Attempts.NOW;
  private static final String RELEASE =
      "SELECT NAME FROM OLD TABLE (DELETE" + HELD + " AND HOLD = ?)";
  private static final String FORCE =
      "SELECT NAME FROM OLD TABLE (DELETE" + HELD + " AND TOKEN = ?)";
  private static final String INSPECT =
      "SELECT OWNER, HOST, SINCE, EXPIRES - " + Attempts.NOW + ", TOKEN" + HELD;

  /** There is no way to be told of a release, so waiters ask. */
  private static final long POLL_MICROS = 20_000;

  private final Server server;
  private final String prefix;
  private final ClientId client;

  H2Backend(HostPort address, String namespace, ClientId client) {
    this.server = new Server(address);
    this.prefix = namespace + ":";
    this.client = client;
  }

  @Override
  public AttemptResult attempt(Attempt attempt) {
    long answer = server.send("CALL ATTEMPT(?, ?, ?, ?, ?)", Attempts::number,
        prefix + attempt.name(), attempt.id().toString(), attempt.owner(), client.host(),
        MICROSECONDS.convert(attempt.lease()));
    return answer > 0
        ? AttemptResult.granted(attempt, answer)
        : AttemptResult.busy(duration(Math.min(POLL_MICROS, -answer)));
  }

  @Override
  public void renew(List<Renewal> batch, RenewalAnswers answers) {
    Map<String, Long> tokens = server.send(RENEW, H2Backend::tokens,
        array(batch, renewal -> prefix + renewal.name()),
        array(batch, renewal -> renewal.id().toString()),
        array(batch, renewal -> MICROSECONDS.convert(renewal.lease())));
    batch.forEach(renewal ->
        answers.answer(renewal, renewed(renewal, tokens.get(renewal.id().toString()))));
  }

  private static Object[] array(List<Renewal> batch, Function<Renewal, Object> what) {
    return batch.stream().map(what).toArray();
  }

  private static Map<String, Long> tokens(ResultSet rows) throws SQLException {
    Map<String, Long> tokens = new HashMap<>();
    while (rows.next()) {
      tokens.put(rows.getString(1), rows.getLong(2));
    }
    return tokens;
  }

  /** A quorum's member raises the token, too. The lease is longer by then, as it may be anyway. */
  private RenewalResult renewed(Renewal renewal, Long token) {
    long held = token == null || token >= renewal.minToken()
        ? Objects.requireNonNullElse(token, 0L)
        : server.send("CALL RAISE(?, ?, ?)", Attempts::number,
            prefix + renewal.name(), renewal.id().toString(), renewal.minToken());
    return held == 0 ? RenewalResult.gone() : RenewalResult.held(renewal, held);
  }

  @Override
  public boolean release(String name, HoldId id) {
    return server.send(RELEASE, ResultSet::next, prefix + name, id.toString());
  }

  @Override
  public void abandon(String name, HoldId id) {
    release(name, id);
  }

  @Override
  public boolean forceRelease(String name, long fencingToken) {
    return server.send(FORCE, ResultSet::next, prefix + name, fencingToken);
  }

  @Override
  public Optional<HoldInfo> inspect(String name) {
    return server.send(INSPECT, rows -> rows.next()
        ? Optional.of(HoldInfo.of(name, rows.getString(1), rows.getString(2),
            Instant.EPOCH.plus(duration(rows.getLong(3))), duration(rows.getLong(4)),
            rows.getLong(5), 0))
        : Optional.empty(), prefix + name);
  }

  @Override
  public String server() {
    return server.send("CALL H2VERSION()", rows -> rows.next() ? "H2 " + rows.getString(1) : "H2");
  }

  @Override
  public void close() {
    server.close();
  }

  private static Duration duration(long micros) {
    return Duration.ofNanos(1000 * micros);
  }
}
