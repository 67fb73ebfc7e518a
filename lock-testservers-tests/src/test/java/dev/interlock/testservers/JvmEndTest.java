package dev.interlock.testservers;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever ends the JVM ends its servers and takes their directories away. */
@Tag("thorough")
@Timeout(120)
class JvmEndTest {

  @ParameterizedTest
  @ValueSource(strings = {"running", "paused", "restarted"})
  void kill_9_of_the_jvm_leaves_no_server_behind(String state) throws Exception {
    Child child = Child.start(state);

    child.process().destroyForcibly();

    child.awaitNothingLeft();
  }

  @ParameterizedTest
  @ValueSource(strings = {"running", "paused", "stopped"})
  void an_exit_without_close_leaves_nothing_behind(String state) throws Exception {
    Child child = Child.start(state);

    child.process().getOutputStream().close();

    child.awaitNothingLeft();
    assertThat(child.process().exitValue()).isZero();
  }

  /** A JVM with two servers, and what it says of them. */
  private record Child(Process process, List<ProcessHandle> servers, List<Path> homes) {

    static Child start(String state) throws Exception {
      Process process = new ProcessBuilder(
              Path.of(System.getProperty("java.home"), "bin", "java").toString(),
              "-cp",
              System.getProperty("java.class.path"),
              ServersMain.class.getName(),
              state)
          .redirectError(ProcessBuilder.Redirect.INHERIT)
          .start();
      List<ProcessHandle> servers = new ArrayList<>();
      List<Path> homes = new ArrayList<>();
      BufferedReader output = process.inputReader(StandardCharsets.UTF_8);
      for (String line = output.readLine(); !"ready".equals(line); line = output.readLine()) {
        String[] words = line.split(" ", 2);
        ProcessHandle.of(Long.parseLong(words[0])).ifPresent(servers::add);
        homes.add(Path.of(words[1]));
      }
      assertThat(homes).hasSize(2).allMatch(Files::isDirectory);
      assertThat(servers).hasSize(state.equals("stopped") ? 0 : 2);
      return new Child(process, servers, homes);
    }

    void awaitNothingLeft() {
      process.onExit().join();
      for (ProcessHandle server : servers) {
        TestProcesses.await("server " + server.pid() + " is gone", () -> !server.isAlive());
      }
      for (Path home : homes) {
        TestProcesses.await(home + " is gone", () -> Files.notExists(home));
      }
    }
  }
}
