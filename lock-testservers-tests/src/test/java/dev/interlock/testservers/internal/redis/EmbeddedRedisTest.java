package dev.interlock.testservers.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.RedisServerBuilder;
import dev.interlock.testservers.RedisSource;
import dev.interlock.testservers.TestProcesses;
import dev.interlock.testservers.TestRedis;
import dev.interlock.testservers.TestServerException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program of the artifact, which every machine has, and what is true of local processes. */
class EmbeddedRedisTest extends RedisServerContract {

  @Override
  RedisServerBuilder builder() {
    return TestRedis.builder().from(RedisSource.EMBEDDED);
  }

  @Test
  void the_source_names_the_artifact() {
    try (RedisServer redis = builder().start()) {
      assertThat(redis.source()).startsWith("embedded-redis ");
    }
  }

  @Test
  void signals_and_the_end_reach_the_server_itself_and_its_directory_goes_with_it() {
    ProcessHandle process;
    Path home;
    try (RedisServer redis = builder().start()) {
      process = TestProcesses.serverProcess(redis);
      home = TestProcesses.home(redis);
      assertThat(process.info().command().orElse("")).endsWith("redis-server");
      assertThat(home).isDirectory();

      redis.restart();
      assertThat(process.isAlive()).isFalse();
      process = TestProcesses.serverProcess(redis);
      redis.pause();
    }
    assertThat(process.isAlive()).isFalse();
    assertThat(home).doesNotExist();
  }

  @Test
  void servers_can_be_started_by_many_threads_at_once() {
    List<CompletableFuture<String>> answers = IntStream.range(0, 16)
        // The common pool may have one thread only.
        .mapToObj(
            i -> CompletableFuture.supplyAsync(this::startOnce, task -> new Thread(task).start()))
        .toList();

    assertThat(answers).allSatisfy(answer -> assertThat(answer.join()).isEqualTo("PONG"));
  }

  private String startOnce() {
    try (RedisServer redis = builder().start()) {
      return redis.command("PING");
    }
  }

  @Test
  void a_server_that_crashed_is_started_again() {
    try (RedisServer redis = builder().start()) {
      ProcessHandle process = TestProcesses.serverProcess(redis);
      process.destroyForcibly();
      process.onExit().join();
      TestProcesses.await("the end is noticed", () -> !answers(redis));

      TestProcesses.await("it is started again", () -> startsAndAnswers(redis));
    }
  }

  @Test
  void a_server_that_cannot_start_says_why_and_leaves_no_directory(@TempDir Path directory)
      throws Exception {
    // In a JVM of its own, for nobody else makes directories in its place for temporary files.
    Process process = new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Djava.io.tmpdir=" + directory,
            "-cp",
            System.getProperty("java.class.path"),
            RefusedMain.class.getName())
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
    List<String> said = process.inputReader(StandardCharsets.UTF_8).lines().toList();

    assertThat(process.waitFor()).isZero();
    assertThat(Path.of(said.get(0)).getParent()).isEqualTo(directory.toRealPath());
    assertThat(String.join(" ", said)).contains("ended with status", "maxmemory-policy");
    assertThat(said).last().isEqualTo("left: []");
  }

  @Test
  void a_chosen_port_that_is_taken_is_an_error() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      assertThatThrownBy(() -> builder().onPort(taken.getLocalPort()).start())
          .isInstanceOf(TestServerException.class)
          .hasMessageContaining("Address already in use");
    }
  }

  @Test
  void an_interrupted_start_fails_and_keeps_the_flag() {
    Thread.currentThread().interrupt();
    try {
      assertThatThrownBy(() -> builder().start()).hasMessageContaining("interrupted");
    } finally {
      assertThat(Thread.interrupted()).isTrue();
    }
  }

  @Test
  void an_interrupt_also_ends_a_start_that_need_not_wait() {
    try (RedisServer redis = builder().start()) {
      Thread.currentThread().interrupt();
      try {
        assertThatThrownBy(redis::start).hasMessageContaining("interrupted");
      } finally {
        assertThat(Thread.interrupted()).isTrue();
      }
    }
  }

  @Test
  void an_interrupt_does_not_keep_close_from_cleaning_up() {
    RedisServer redis = builder().start();
    ProcessHandle process = TestProcesses.serverProcess(redis);
    Path home = TestProcesses.home(redis);

    Thread.currentThread().interrupt();
    redis.close();

    assertThat(Thread.interrupted()).isTrue();
    assertThat(process.isAlive()).isFalse();
    assertThat(home).doesNotExist();
  }

  @Test
  void secrets_stay_in_a_directory_that_only_the_current_user_can_read() throws IOException {
    try (RedisServer redis = builder().password("secret").start()) {
      assertThat(Files.getPosixFilePermissions(TestProcesses.home(redis)))
          .allMatch(permission -> permission.name().startsWith("OWNER_"));
      assertThat(TestProcesses.serverProcess(redis).info().commandLine().orElse(""))
          .contains("redis-server")
          .doesNotContain("secret");
    }
  }

  private static boolean answers(RedisServer redis) {
    try {
      ping(redis);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private static boolean startsAndAnswers(RedisServer redis) {
    try {
      redis.start();
      return answers(redis);
    } catch (TestServerException stillEnding) {
      return false;
    }
  }
}
