package dev.interlock.compare.facts;

import dev.interlock.compare.peers.Clients;
import dev.interlock.compare.servers.Backend;
import dev.interlock.tck.Effort;
import dev.interlock.testservers.DatabaseServer;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** Sets the clock by which the server counts leases, where that can be done. */
final class ServerClock implements Observation {
  private static final String NAME = "fact-server-clock";
  private static final Duration LEASE = Duration.ofSeconds(2);
  private static final Duration JUMP = Duration.ofMinutes(5);
  private static final Duration WATCHED = Duration.ofMillis(2500);

  /** What the provider's function on PostgreSQL returns; the offset goes before it. */
  static final String TIME = "RETURN EXTRACT(";

  /** Sets the clock. */
  private interface Clock {
    void set(Duration offset);
  }

  @Override
  public Happening happening() {
    return Happening.SERVER_CLOCK;
  }

  @Override
  public Fact observe(Backend backend, Effort effort) throws Exception {
    if (backend.isInOneJvm()) {
      return Fact.none(happening(), "there is no server; its one clock is that of the client");
    }
    // The first client makes the function.
    Clients.open(backend.uri()).close();
    Optional<Clock> clock =
        backend.admin().database().flatMap(server -> function(server, backend.names()));
    if (clock.isEmpty()) {
      return Fact.none(
          happening(), "the server asks its machine for the time, whose clock is not ours to set");
    }
    try (ClockParty holder = new ClockParty(backend.uri());
        ClockParty other = new ClockParty(backend.uri())) {
      Map<String, Double> figures = new TreeMap<>();
      String forward = jump(clock.get(), JUMP, "Forward", holder, other, figures);
      long before = Long.parseLong(other.obey("token"));
      // From there it goes back to where it was.
      String back = jump(clock.get(), Duration.ZERO, "Back", holder, other, figures);
      boolean grow = Long.parseLong(holder.obey("token")) > before
          && Long.parseLong(other.obey("token")) > Long.parseLong(holder.obey("token"));
      figures.put("tokensGrow", grow ? 1.0 : 0.0);
      return Fact.seen(
          happening(),
          "Set forward by " + JUMP.toMinutes() + " min: " + forward + " Set back by as much: "
              + back + " Fencing tokens " + (grow ? "go on growing." : "do not go on growing."),
          figures);
    } finally {
      clock.get().set(Duration.ZERO);
    }
  }

  /** The function by which PostgreSQL tells a provider the time, if there is one. */
  private static Optional<Clock> function(DatabaseServer server, String names) {
    if (!server.uri().startsWith("postgres")) {
      return Optional.empty();
    }
    String definition = server.execute(
        "SELECT PG_GET_FUNCTIONDEF(oid) FROM pg_proc WHERE proname = '" + names + "now'");
    // What is set back is as it was, so that it can be set once more.
    return definition.contains(TIME)
        ? Optional.of(offset -> server.execute(
            offset.isZero()
                ? definition
                : definition.replace(TIME, "RETURN " + offset.toNanos() / 1000 + " + EXTRACT(")))
        : Optional.empty();
  }

  private static String jump(
      Clock clock,
      Duration to,
      String kind,
      ClockParty holder,
      ClockParty other,
      Map<String, Double> figures)
      throws InterruptedException {
    holder.obey("hold " + NAME + " " + LEASE);
    other.obey("wait " + NAME);
    holder.obey("mark");
    other.obey("mark");
    clock.set(to);
    TimeUnit.NANOSECONDS.sleep(WATCHED.toNanos());
    String[] told = holder.obey("told").split(" ", -1);
    String got = other.obey("got");
    String released = holder.obey("release");
    String successor = other.obey("pass");
    double toldAt = told.length < 2 ? -1 : ClientClock.millis(told[1]);
    double gotAt = ClientClock.millis(got);
    figures.put("millisUntilTold" + kind, toldAt);
    figures.put("otherHasItMillis" + kind, gotAt);
    double both =
        gotAt < 0 ? 0 : Math.max(0, (toldAt < 0 ? Text.millis(WATCHED.toNanos()) : toldAt) - gotAt);
    figures.put("twoHoldersMillis" + kind, both);
    return (toldAt < 0
            ? "the holder is told nothing"
            : "the holder is told " + told[0] + " after " + Text.ms(toldAt))
        + (gotAt < 0
            ? "; nobody else has the lock before its release, which "
            : "; another client has the lock after " + Text.ms(gotAt)
                + (both > 0 ? ", so both hold it for " + Text.ms(both) : "") + "; its release ")
        + (released.equals(ClockParty.NONE) ? "returns" : "throws " + released)
        + (successor.equals(ClockParty.NONE) ? "" : "; the next one ends with " + successor)
        + ".";
  }
}
