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

  /** A cut shows as the end of what comes, or as an error. */
  private static boolean endOf(BufferedReader in) {
    try {
      return in.readLine() == null;
    } catch (IOException e) {
      return true;
    }
  }
}
