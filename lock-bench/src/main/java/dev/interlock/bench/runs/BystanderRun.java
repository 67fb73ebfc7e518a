package dev.interlock.bench.runs;

import dev.interlock.bench.subjects.Subject;
import dev.interlock.measure.Round;
import dev.interlock.measure.Scenario;
import dev.interlock.measure.Statistics;
import dev.interlock.measure.peers.PeerTables;
import dev.interlock.measure.server.ServerAddress;
import dev.interlock.measure.server.SqlPool;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How many rows somebody else updates on a database while many threads fight for a lock there, and
 * while the same threads fight for it on another server of this machine. Both burden the machine
 * alike, so the ratio is what the lock's commits and notifications take from the server's other
 * users. The two follow each other in each round, now the one first and now the other.
 */
public final class BystanderRun {
  /** Those who fight for the lock. */
  public static final Scenario SCENARIO = new Scenario(32, 1, 2);

  private static final String TABLE = PeerTables.PREFIX + "bystander";

  private final OpenSubjects open;
  private final ServerAddress server;
  private final ServerAddress other;
  private final BenchPlan plan;
  private final String names;
  private final Progress progress;
  private final List<OpenSubjects.Failure> failures = new ArrayList<>();

  /**
   * Prepares a run.
   *
   * @param open the subjects on the server where the bystander is
   * @param other the other server
   * @param names what the names of this run's locks begin with
   */
  public BystanderRun(
      OpenSubjects open,
      ServerAddress server,
      ServerAddress other,
      BenchPlan plan,
      String names,
      Progress progress) {
    this.open = open;
    this.server = server;
    this.other = other;
    this.plan = plan;
    this.names = names;
    this.progress = progress;
  }

  /**
   * Measures Interlock's providers. Leaves its table to {@link PeerTables#drop}.
   *
   * @throws IllegalStateException if the database refuses the bystander
   */
  public List<BystanderResult> measure() throws InterruptedException {
    progress.note("bystander: updates of one row beside " + SCENARIO.description()
        + ", there and on another server");
    List<Subject> ours = open.subjects().stream()
        .filter(subject -> subject.kind() == Subject.Kind.OURS)
        .toList();
    try (SqlPool pool = SqlPool.open(server, 1);
        OpenSubjects elsewhere =
            new OpenSubjects(ours, other, SCENARIO.clients(), SCENARIO.threads(), progress)) {
      pool.update("DROP TABLE IF EXISTS " + TABLE); // of a run that was ended
      pool.update("CREATE TABLE " + TABLE + " (id BIGINT PRIMARY KEY, items BIGINT NOT NULL)");
      pool.update("INSERT INTO " + TABLE + " VALUES (1, 0)");
      try (Bystander bystander = new Bystander(pool.source().getConnection())) {
        bystander.start();
        return measure(bystander, elsewhere);
      } finally {
        failures.addAll(elsewhere.failures());
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e.getMessage(), e);
    }
  }

  private List<BystanderResult> measure(Bystander bystander, OpenSubjects elsewhere)
      throws InterruptedException {
    Map<Subject, Rates> rates = new LinkedHashMap<>();
    elsewhere.takeTurn(0, "bystander", subject -> {
      new Rates(subject, elsewhere, bystander).add(0, plan.warmUp());
      rates.put(subject, new Rates(subject, elsewhere, bystander));
    });
    for (int round = 0; round < plan.rounds(); round++) {
      int turn = round;
      progress.begin("bystander round " + (round + 1) + "/" + plan.rounds() + ":");
      elsewhere.takeTurn(turn, "bystander", subject -> {
        Rates mine = Objects.requireNonNull(rates.get(subject));
        mine.add(turn, plan.round());
        progress.part(subject.id(), mine.last());
      });
      progress.end();
    }
    rates.keySet().retainAll(elsewhere.subjects());
    return rates.values().stream().map(Rates::result).toList();
  }

  /** Subjects that could not be measured to the end. */
  public List<OpenSubjects.Failure> failures() {
    return List.copyOf(failures);
  }

  /** What one subject showed. */
  private final class Rates {
    private final Subject subject;
    private final OpenSubjects elsewhere;
    private final Bystander bystander;
    private final List<Double> sections = new ArrayList<>();
    private final List<Double> commits = new ArrayList<>();
    private final List<Double> commitsElsewhere = new ArrayList<>();

    Rates(Subject subject, OpenSubjects elsewhere, Bystander bystander) {
      this.subject = subject;
      this.elsewhere = elsewhere;
      this.bystander = bystander;
    }

    void add(int round, Duration length) throws InterruptedException {
      boolean first = round % 2 == 0;
      if (first) {
        addHere(length);
      }
      fight(elsewhere, length, commitsElsewhere);
      if (!first) {
        addHere(length);
      }
    }

    private void addHere(Duration length) throws InterruptedException {
      sections.add(fight(open, length, commits).sectionsPerSecond());
    }

    private Round.Result fight(OpenSubjects where, Duration length, List<Double> rates)
        throws InterruptedException {
      long before = bystander.commits();
      long start = System.nanoTime();
      Round.Result fight = Round.run(
          SCENARIO,
          where.clients(subject, SCENARIO.clients()),
          names + subject.id() + ":bystander:",
          length);
      double seconds = (System.nanoTime() - start) / 1e9;
      rates.add((bystander.commits() - before) / seconds);
      if (!fight.excluded()) {
        throw new IllegalStateException("two held the lock at once");
      }
      return fight;
    }

    double last() {
      return commits.get(commits.size() - 1);
    }

    BystanderResult result() {
      return new BystanderResult(
          subject.id(),
          subject.label(),
          Statistics.median(array(sections)),
          Statistics.median(array(commits)),
          Statistics.median(array(commitsElsewhere)),
          Statistics.ratio(array(commits), array(commitsElsewhere)));
    }

    private static double[] array(List<Double> values) {
      return values.stream().mapToDouble(Double::doubleValue).toArray();
    }
  }

  /** Updates one row again and again, each time in a transaction of its own. */
  private static final class Bystander extends Thread implements AutoCloseable {
    private final Connection connection;
    private volatile long commits;
    private volatile boolean closed;
    private volatile @Nullable SQLException failure;

    Bystander(Connection connection) {
      super("bystander");
      this.connection = connection;
      setDaemon(true);
    }

    @Override
    public void run() {
      try (connection;
          PreparedStatement update = connection.prepareStatement(
              "UPDATE " + TABLE + " SET items = items + 1 WHERE id = 1")) {
        for (long done = 1; !closed; done++) {
          update.executeUpdate();
          commits = done;
        }
      } catch (SQLException e) {
        failure = e;
      }
    }

    /** Answers how many there were until now. */
    long commits() {
      SQLException met = failure;
      if (met != null) {
        throw new IllegalStateException("the bystander failed: " + met.getMessage(), met);
      }
      return commits;
    }

    /** Returns once the update that is under way is over. */
    @Override
    public void close() throws InterruptedException {
      closed = true;
      join();
    }
  }
}
