package dev.interlock.mysql;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The first of several servers answers, and lets nobody in. */
@Timeout(60)
class RefusingServerTest {
  /** Answers every connection with an error, in the place of its greeting. */
  private static final class Refusal implements AutoCloseable {
    private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final byte[] answer;

    Refusal(int code) throws IOException {
      byte[] text = "not now".getBytes(US_ASCII);
      ByteArrayOutputStream packet = new ByteArrayOutputStream();
      packet.write(new byte[] {(byte) (3 + text.length), 0, 0, 0, (byte) 0xff});
      packet.write(new byte[] {(byte) code, (byte) (code >> 8)});
      packet.write(text);
      answer = packet.toByteArray();
      Thread thread = new Thread(this::refuse, "refusal");
      thread.setDaemon(true);
      thread.start();
    }

    private void refuse() {
      while (!server.isClosed()) {
        try (Socket client = server.accept()) {
          client.getOutputStream().write(answer);
          client.shutdownOutput();
          client.setSoTimeout(1_000);
          while (client.getInputStream().read() >= 0) {
            // Closed before the client has read, it would be a reset.
          }
        } catch (SocketTimeoutException e) {
          // The client has gone without a word.
        } catch (IOException e) {
          // It has been closed, or the client has.
        }
      }
    }

    String address() {
      return "127.0.0.1:" + server.getLocalPort();
    }

    @Override
    public void close() throws IOException {
      server.close();
    }
  }

  @ParameterizedTest
  @ValueSource(
      ints = {
        1047, // a node of Galera that has lost the others
        1053, // shuts down
        2003, // a router that finds no server
        3032 // offline, as a member that its group has put out
      })
  void E3_aServerThatLetsNobodyInIsPassedOver(int code) throws IOException {
    try (Refusal refusal = new Refusal(code);
        LockClient client = Locks.open(Server.uri().replace("@", "@" + refusal.address() + ","))) {
      assertThat(client.tryAcquire(LockRequest.of("a" + code))).isPresent();
    }
  }
}
