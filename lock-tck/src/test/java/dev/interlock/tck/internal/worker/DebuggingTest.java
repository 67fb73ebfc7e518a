package dev.interlock.tck.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.tck.teststore.Fault;
import dev.interlock.tck.teststore.StoreServer;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Workers that wait for a debugger, and a kit that waits for them. */
class DebuggingTest {
  private static final Duration LIMIT = Duration.ofSeconds(20);

  @AfterEach
  void endDebugging() {
    System.clearProperty(Debugging.PROPERTY);
  }

  @Test
  void limitsHoldUnlessSomebodyDebugs() {
    assertThat(Debugging.limit(LIMIT)).isEqualTo(LIMIT);
    System.setProperty(Debugging.PROPERTY, "true");
    assertThat(Debugging.limit(LIMIT)).isGreaterThan(Duration.ofDays(1));
    assertThat(Debugging.jvmArguments()).isEmpty();
  }

  @Test
  void whatIsNoPortIsRefused() {
    System.setProperty(Debugging.PROPERTY, "here");
    assertThatThrownBy(Debugging::jvmArguments)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("interlock.tck.debug is 'here': it must be a port, or true");
  }

  @Test
  @Timeout(120)
  void aWorkerWaitsForTheDebuggerAndThenWorks() throws Exception {
    // Each fork gets a higher port than the one before: let the next one get one that is free.
    System.setProperty(Debugging.PROPERTY, "1");
    int offset = port(Debugging.jvmArguments());
    int port = freePort();
    System.setProperty(Debugging.PROPERTY, "" + (port - offset));
    WorkerPool pool = WorkerPool.enter();
    try (StoreServer server = StoreServer.start(Fault.NONE)) {
      Opener opener = new Opener(server.uri(), null);
      CompletableFuture<ProcessWorker> starting = CompletableFuture.supplyAsync(
          () -> pool.own("X1", "of X1", opener, Duration.ofMillis(1)));
      try (Socket debugger = attached(port)) {
        assertThat(starting).isNotDone();
        resume(debugger);
      }
      try (ProcessWorker worker = starting.get(60, TimeUnit.SECONDS)) {
        // It may take more than the millisecond that it has otherwise.
        assertThat(worker.<Boolean>call(space -> space.client().inspect("a").isEmpty()))
            .isTrue();
      }
    } finally {
      pool.leave();
    }
  }

  private static int port(List<String> arguments) {
    String argument = arguments.get(0);
    return Integer.parseInt(argument.substring(argument.lastIndexOf(':') + 1));
  }

  /** Below those that a system gives to whoever asks for any port, as the store's server does. */
  private static int freePort() {
    int port;
    do {
      port = ThreadLocalRandom.current().nextInt(10_000, 30_000);
    } while (!isFree(port));
    return port;
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket(port)) {
      return socket.isBound();
    } catch (IOException inUse) {
      return false;
    }
  }

  /** As debuggers do: both sides greet each other with the same words. */
  private static Socket attached(int port) throws Exception {
    byte[] greeting = "JDWP-Handshake".getBytes(StandardCharsets.US_ASCII);
    while (true) {
      try {
        Socket socket = new Socket(InetAddress.getByName("localhost"), port);
        socket.getOutputStream().write(greeting);
        assertThat(socket.getInputStream().readNBytes(greeting.length)).isEqualTo(greeting);
        return socket;
      } catch (ConnectException e) {
        TimeUnit.MILLISECONDS.sleep(20);
      }
    }
  }

  /** Sends the command that lets all threads go on, and waits for its answer. */
  private static void resume(Socket debugger) throws IOException {
    int commandSetOfTheMachine = 1;
    int resume = 9;
    DataOutputStream out = new DataOutputStream(debugger.getOutputStream());
    out.writeInt(11); // the length of a packet without data
    out.writeInt(1); // its number
    out.writeByte(0);
    out.writeByte(commandSetOfTheMachine);
    out.writeByte(resume);
    out.flush();
    assertThat(debugger.getInputStream().readNBytes(11)).hasSize(11);
  }
}
