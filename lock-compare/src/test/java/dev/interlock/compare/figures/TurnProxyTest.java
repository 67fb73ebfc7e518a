package dev.interlock.compare.figures;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.compare.servers.LockUris;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestRedis;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class TurnProxyTest {

  @Test
  void commands_sent_together_are_one_turn_and_each_question_after_an_answer_is_another()
      throws IOException {
    try (RedisServer redis = TestRedis.start();
        TurnProxy proxy = TurnProxy.before(redis.host(), redis.port());
        Socket client = new Socket(
            InetAddress.getLoopbackAddress(),
            LockUris.port("x://" + proxy.address()).getAsInt())) {
      OutputStream out = client.getOutputStream();
      BufferedReader in = new BufferedReader(
          new InputStreamReader(client.getInputStream(), StandardCharsets.US_ASCII));

      out.write("PING\r\nPING\r\n".getBytes(StandardCharsets.US_ASCII));
      assertThat(in.readLine()).isEqualTo("+PONG");
      assertThat(in.readLine()).isEqualTo("+PONG");
      assertThat(proxy.turns()).isEqualTo(1);

      out.write("PING\r\n".getBytes(StandardCharsets.US_ASCII));
      assertThat(in.readLine()).isEqualTo("+PONG");
      assertThat(proxy.turns()).isEqualTo(2);
    }
  }

  @Test
  void a_lost_reply_is_cut_off_after_the_server_has_acted() throws IOException {
    try (RedisServer redis = TestRedis.start();
        TurnProxy proxy = TurnProxy.before(redis.host(), redis.port());
        Socket client = new Socket(
            InetAddress.getLoopbackAddress(),
            LockUris.port("x://" + proxy.address()).getAsInt())) {
      OutputStream out = client.getOutputStream();
      BufferedReader in = new BufferedReader(
          new InputStreamReader(client.getInputStream(), StandardCharsets.US_ASCII));
      proxy.loseReplyTo(2);

      out.write("PING\r\n".getBytes(StandardCharsets.US_ASCII));
      assertThat(in.readLine()).isEqualTo("+PONG");
      out.write("SET lost reply\r\n".getBytes(StandardCharsets.US_ASCII));
      assertThat(endOf(in)).isTrue();
      assertThat(proxy.repliesLost()).isEqualTo(1);
      assertThat(redis.command("GET", "lost")).isEqualTo("reply");
    }
  }

  @Test
  void an_address_that_moves_cuts_its_connections_and_leads_the_next_ones_to_the_other_server()
      throws IOException {
    try (RedisServer first = TestRedis.builder().owned().start();
        RedisServer second = TestRedis.builder().owned().start();
        TurnProxy proxy = TurnProxy.before(first.host(), first.port())) {
      first.command("SET", "who", "first");
      second.command("SET", "who", "second");
      try (Socket before = connect(proxy)) {
        assertThat(ask(before, "STRLEN who")).isEqualTo(":5");
        first.kill();
        try (Socket meanwhile = connect(proxy)) {
          meanwhile.setSoTimeout(10_000);
          assertThat(endOf(reader(meanwhile)))
              .as("nobody waits for a server that is away")
              .isTrue();
        }
        proxy.lead(second.host(), second.port());

        assertThat(endOf(reader(before))).isTrue();
      }
      try (Socket after = connect(proxy)) {
        assertThat(ask(after, "STRLEN who")).isEqualTo(":6");
      }
    }
  }

  private static Socket connect(TurnProxy proxy) throws IOException {
    return new Socket(
        InetAddress.getLoopbackAddress(),
        LockUris.port("x://" + proxy.address()).getAsInt());
  }

  private static String ask(Socket client, String command) throws IOException {
    client.getOutputStream().write((command + "\r\n").getBytes(StandardCharsets.US_ASCII));
    return reader(client).readLine();
  }

  private static BufferedReader reader(Socket client) throws IOException {
    return new BufferedReader(
        new InputStreamReader(client.getInputStream(), StandardCharsets.US_ASCII));
  }

  /** A cut shows as the end of what comes, or as an error. */
  private static boolean endOf(BufferedReader in) {
    try {
      return in.readLine() == null;
    } catch (IOException e) {
      return true;
    }
  }
}
