package dev.interlock.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.Command;

class BenchCommandTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... args) {
    return BenchCommand.commandLine()
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(args);
  }

  @Test
  void helpNamesEveryOptionAndEndsWithStatus0() {
    assertThat(run("--help")).isZero();
    assertThat(out.toString())
        .contains("--quick", "--out", "--subjects", "--scenarios", "--uri", "--jmh", "--list");
  }

  @Test
  void aLibraryThatIsMissingIsToldInOneLine() {
    int status = BenchCommand.commandLine()
        .addSubcommand("lacking", new Lacking())
        .setErr(new PrintWriter(err, true))
        .execute("lacking");
    assertThat(status).isEqualTo(1);
    assertThat(err.toString().lines())
        .containsExactly("The bench could not run: a library is missing on the class path, or too"
            + " old or too new: java.lang.NoClassDefFoundError: acme/Driver");
  }

  @Command
  private static final class Lacking implements Runnable {
    @Override
    public void run() {
      throw new NoClassDefFoundError("acme/Driver");
    }
  }

  @Test
  void anUnknownOptionIsNamed() {
    assertThat(run("--quik")).isEqualTo(2);
    assertThat(err.toString()).contains("Unknown option: '--quik'");
  }

  @Test
  void anUnknownSubjectIsNamedBesideTheKnownOnes() {
    assertThat(run("--subjects", "redisson,redison")).isEqualTo(2);
    assertThat(err.toString())
        .contains("There is no subject 'redison'", "floor, redisson, redisson-fair");
  }

  @Test
  void anUnknownScenarioIsNamed() {
    assertThat(run("--scenarios", "16t1l1c,lots")).isEqualTo(2);
    assertThat(err.toString()).contains("'lots' is not a scenario");
  }

  @Test
  void aWrongAddressIsNotEchoed() {
    assertThat(run("--uri", "http://:secret@localhost")).isEqualTo(2);
    assertThat(err.toString()).contains("the scheme is not redis").doesNotContain("secret");
  }

  @Test
  void fencedWritesAreMeasuredInDatabasesOnly() {
    assertThat(run("--list", "--on", "postgres")).isZero();
    assertThat(out.toString()).contains("fenced-writes");
    assertThat(run("--scenarios", "fenced-writes")).isEqualTo(2);
    assertThat(err.toString()).contains("'fenced-writes' is not a scenario");
  }

  @Test
  void whatABystanderNoticesIsMeasuredOnPostgresOnly() {
    assertThat(run("--list", "--on", "postgres")).isZero();
    assertThat(out.toString()).contains("bystander");
    assertThat(run("--on", "mysql", "--scenarios", "bystander")).isEqualTo(2);
    assertThat(err.toString()).contains("'bystander' is not a scenario");
  }

  @Test
  void anUnknownServerIsNamedBesideTheKnownOnes() {
    assertThat(run("--on", "etcd")).isEqualTo(2);
    assertThat(err.toString()).contains("etcd").containsIgnoringCase("redis, mysql, postgres");
  }

  @Test
  void locksOverThreeServersAreListedWhereThreeAreStarted() {
    assertThat(run("--list", "--quorum")).isZero();
    assertThat(out.toString())
        .contains("quorum-setnx", "quorum-hash", "redisson-multi", "floor-3", "silent-member")
        .doesNotContain("spring-pubsub");
    assertThat(run("--quorum", "--uri", "redis://localhost")).isEqualTo(2);
    assertThat(err.toString()).contains("--quorum starts three Redis servers");
    assertThat(run("--scenarios", "silent-member")).isEqualTo(2);
  }

  @Test
  void jmhTakesNoScenarios() {
    assertThat(run("--jmh", "--scenarios", "1t1l1c")).isEqualTo(2);
    assertThat(err.toString()).contains("--jmh measures the uncontended path on Redis");
  }

  @Test
  void aMysqlAddressNeedsADatabase() {
    assertThat(run("--on", "mysql", "--uri", "mysql://bob:secret@localhost")).isEqualTo(2);
    assertThat(err.toString())
        .contains("mysql://[user:password@]host[:port]/database")
        .doesNotContain("secret");
  }

  @Test
  void aServerThatIsNotThereEndsTheRunWithOneMessage() {
    assertThat(run("--quick", "--uri", "redis://:secret@127.0.0.1:1")).isEqualTo(1);
    assertThat(err.toString())
        .contains("The bench could not run: ", "127.0.0.1:1")
        .doesNotContain("secret", "\tat ");
  }

  @Test
  void theListNamesSubjectsWithVersionsAndScenarios() {
    assertThat(run("--list")).isZero();
    assertThat(out.toString())
        .containsPattern("floor +raw floor.*Jedis \\d+\\.")
        .containsPattern("redisson-fair .*Redisson \\d+\\.")
        .containsPattern("spring-pubsub .*Spring Integration \\d+\\.")
        .contains("32t1l2c", "uncontended", "hand-off", "readwrite", "semaphore")
        .doesNotContain("fenced-writes");
  }
}
