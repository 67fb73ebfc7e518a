package dev.interlock.tck.internal.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

class TcpSocketsTest {

  @Test
  @EnabledOnOs(OS.LINUX)
  void connectionsAreCountedAndForgottenWhenClosed() throws Exception {
    Set<String> before = TcpSockets.open();
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Socket client = new Socket(server.getInetAddress(), server.getLocalPort());
        Socket accepted = server.accept()) {
      assertThat(client.isConnected() && accepted.isConnected()).isTrue();
      assertThat(TcpSockets.countBeside(before)).isEqualTo(3);
      assertThat(TcpSockets.countBeside(TcpSockets.open())).isZero();
    }
    assertThat(TcpSockets.countBeside(before)).isZero();
  }
}
