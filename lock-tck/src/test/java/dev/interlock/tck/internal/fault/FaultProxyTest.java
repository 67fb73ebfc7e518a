package dev.interlock.tck.internal.fault;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a client can still reach through the proxy. */
@Timeout(60)
class FaultProxyTest {
  private ServerSocket server;
  private FaultProxy proxy;
  private final CountDownLatch ended = new CountDownLatch(1);

  @BeforeEach
  void start() throws IOException {
    server = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
    Thread echo = new Thread(this::echoEverybody, "echo");
    echo.setDaemon(true);
    echo.start();
    proxy = FaultProxy.before("127.0.0.1", server.getLocalPort());
  }

  @AfterEach
  void stop() throws IOException {
    proxy.close();
    server.close();
  }

  private void echoEverybody() {
    while (!server.isClosed()) {
      try {
        Socket client = server.accept();
        Thread echo = new Thread(() -> echo(client), "echo-client");
        echo.setDaemon(true);
        echo.start();
      } catch (IOException e) {
        // It is closed.
      }
    }
  }

  private void echo(Socket client) {
    try (client) {
      client.getInputStream().transferTo(client.getOutputStream());
    } catch (IOException e) {
      // The client was cut off.
    }
    ended.countDown();
  }

  private Socket connect() throws IOException {
    URI address = URI.create("tcp://" + proxy.address());
    Socket client = new Socket(address.getHost(), address.getPort());
    client.setSoTimeout(10_000);
    return client;
  }

  private static boolean isAnswered(Socket client) {
    try {
      client.getOutputStream().write('a');
      return client.getInputStream().read() == 'a';
    } catch (SocketTimeoutException e) {
      throw new AssertionError("neither answered nor cut off", e);
    } catch (IOException e) {
      return false;
    }
  }

  @Test
  void whatIsNotHarmedPasses() throws IOException {
    try (Socket client = connect()) {
      assertThat(isAnswered(client)).isTrue();
      assertThat(proxy.requests()).isEqualTo(1);
    }
  }

  @Test
  void whoConnectsWhileAllAreCutOffIsCutOffToo() throws IOException {
    int rounds = 300;
    for (int i = 0; i < rounds; i++) {
      try (Socket client = connect()) {
        // Once more or less of the way to the server is built.
        LockSupport.parkNanos(i * 5_000L % 500_000);
        proxy.refuse(true);
        proxy.cut();
        assertThat(isAnswered(client)).as("round " + i).isFalse();
      }
      proxy.heal();
    }
    try (Socket client = connect()) {
      assertThat(isAnswered(client)).isTrue();
    }
  }

  @Test
  void theServerDoesNotHearThatAClientGaveUpASilentConnection() throws Exception {
    try (Socket client = connect()) {
      assertThat(isAnswered(client)).isTrue();
      assertThat(proxy.silence()).isEqualTo(1);
    }
    Thread.sleep(300);
    assertThat(ended.getCount()).isEqualTo(1);
    proxy.heal();
    assertThat(ended.await(10, TimeUnit.SECONDS)).isTrue();
  }
}
