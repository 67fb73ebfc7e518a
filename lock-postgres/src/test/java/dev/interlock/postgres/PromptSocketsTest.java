package dev.interlock.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.postgres.internal.PromptSockets;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.core.SocketFactoryFactory;

@Timeout(60)
class PromptSocketsTest {

  @Test
  void aReadWithTheShortestTimeoutDoesNotWait_andOthersDo() throws Exception {
    InetAddress here = InetAddress.getLoopbackAddress();
    try (ServerSocket server = new ServerSocket(0, 1, here);
        Socket client = new PromptSockets().createSocket(here, server.getLocalPort());
        Socket other = server.accept()) {
      InputStream in = client.getInputStream();
      client.setSoTimeout(1);
      assertThatThrownBy(in::read)
          .isInstanceOf(SocketTimeoutException.class)
          .hasMessage("nothing is there yet");
      assertThatThrownBy(() -> in.read(new byte[2], 0, 2))
          .isInstanceOf(SocketTimeoutException.class)
          .hasMessage("nothing is there yet");
      client.setSoTimeout(0);
      other.getOutputStream().write(new byte[] {7, 8});
      assertThat(in.read()).isEqualTo(7);
      client.setSoTimeout(1);
      assertThat(in.read(new byte[2], 0, 2)).isEqualTo(1);
      client.setSoTimeout(2);
      assertThatThrownBy(in::read)
          .isInstanceOf(SocketTimeoutException.class)
          .hasMessageNotContaining("yet");
      other.close();
      assertThat(in.read()).isEqualTo(-1);
    }
  }

  @Test
  void theDriverCanMakeThem() throws Exception {
    Properties properties = new Properties();
    properties.setProperty("socketFactory", PromptSockets.class.getName());
    assertThat(SocketFactoryFactory.getSocketFactory(properties)).isInstanceOf(PromptSockets.class);
  }
}
