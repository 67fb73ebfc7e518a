package dev.interlock.compare.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.LockException;
import dev.interlock.compare.cli.ChildJvm;
import dev.interlock.compare.report.Progress;
import dev.interlock.compare.report.ProviderReport;
import dev.interlock.compare.servers.ServerTurns;
import dev.interlock.tck.Effort;
import dev.interlock.tck.RuleResult;
import dev.interlock.tck.Verdict;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine.Help.Ansi;

class RunInOwnJvmTest {
  @TempDir
  private Path directory;

  @Test
  void a_server_that_cannot_be_reached_is_told_in_words_and_its_turn_ends() {
    String uri = "redis-setnx://127.0.0.1:1";
    ServerTurns turns = new ServerTurns();

    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> new RunInOwnJvm(directory)
              .run(
                  new Candidate("redis-setnx", false, Optional.of(uri)),
                  new KitSettings(Set.of(), Effort.QUICK, 1, directory, false),
                  1,
                  new Progress(new PrintWriter(new StringWriter()), Ansi.OFF),
                  turns))
          .isInstanceOf(LockException.class)
          .hasMessageContaining("127.0.0.1:1");
    }
  }

  @Test
  void that_rules_begin_to_run_one_by_one_is_told_out_of_the_jvm() throws Exception {
    AtomicInteger told = new AtomicInteger();
    Progress progress = new Progress(new PrintWriter(new StringWriter()), Ansi.OFF)
        .of("local", told::incrementAndGet);

    ProviderReport report = new RunInOwnJvm(directory)
        .run(
            new Candidate("local", false, Optional.empty()),
            new KitSettings(Set.of("E8"), Effort.QUICK, 1, directory, false),
            1,
            progress,
            new ServerTurns());

    assertThat(report.rules()).extracting(RuleResult::verdict).containsExactly(Verdict.PASS);
    assertThat(told).hasValue(1);
  }

  /** As somebody's environment may ask of all JVMs. */
  @Test
  void a_jvm_that_is_to_log_what_it_does_answers_all_the_same() throws Exception {
    Path said = directory.resolve("said");
    ProcessBuilder forking = new ProcessBuilder(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-cp",
        System.getProperty("java.class.path"),
        ForkingMain.class.getName(),
        directory.toString());
    forking.environment().put("JAVA_TOOL_OPTIONS", "-Xlog:gc");
    Process process =
        forking.redirectErrorStream(true).redirectOutput(said.toFile()).start();

    assertThat(process.waitFor(180, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(Files.readString(said)).isZero();
  }

  /** Forks all kinds of JVMs that answer through their output. */
  static final class ForkingMain {
    private ForkingMain() {}

    public static void main(String[] args) throws Exception {
      try (ChildJvm child = ChildJvm.start(AnsweringMain.class)) {
        child.expect("ready");
        child.end();
      }
      // X6 needs JVMs that the kit forks.
      ProviderReport report = new RunInOwnJvm(Path.of(args[0]))
          .run(
              new Candidate("redis-setnx", false, Optional.empty()),
              new KitSettings(Set.of("E8", "X6"), Effort.QUICK, 1, Path.of(args[0]), false),
              1,
              new Progress(new PrintWriter(new StringWriter()), Ansi.OFF),
              new ServerTurns());
      report.rules().forEach(System.out::println);
      boolean passed = report.rules().stream().allMatch(rule -> rule.verdict() == Verdict.PASS);
      System.exit(passed ? 0 : 1);
    }
  }

  static final class AnsweringMain {
    private AnsweringMain() {}

    public static void main(String[] args) {
      System.out.println("ready");
    }
  }

  @Test
  void workers_of_locks_that_are_judged_at_the_same_time_have_ports_of_their_own() {
    assertThat(RunInOwnJvm.ports("5005", 0)).isEqualTo("5005");
    assertThat(RunInOwnJvm.ports("5005", 2)).isEqualTo("5205");
    assertThat(RunInOwnJvm.ports("true", 2)).isEqualTo("true");
    assertThat(RunInOwnJvm.ports("a port", 2)).isEqualTo("a port");
  }

  @Test
  void the_jvm_and_its_server_end_with_the_jvm_that_forked_it() throws Exception {
    Process process = new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            System.getProperty("java.class.path"),
            KnownLockMain.class.getName())
        .redirectError(directory.resolve("err").toFile())
        .start();
    String address;
    try (ObjectOutputStream out = new ObjectOutputStream(process.getOutputStream())) {
      out.writeObject(new JudgeMessage.KnownLock(
          "redis-setnx",
          false,
          null,
          new TreeSet<>(),
          Effort.QUICK,
          1,
          1,
          directory.toString(),
          false,
          new TreeMap<>()));
      out.flush();
      ObjectInputStream in = new ObjectInputStream(process.getInputStream());
      address = ((JudgeMessage.Server) in.readObject()).address();
    }

    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    int colon = address.lastIndexOf(':');
    assertThatThrownBy(() -> new Socket(
                address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)))
            .close())
        .isInstanceOf(java.net.ConnectException.class);
  }
}
