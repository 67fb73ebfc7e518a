package dev.interlock.postgres.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.LockConfig;
import dev.interlock.postgres.PostgresOptions;
import dev.interlock.postgres.Server;
import dev.interlock.sql.support.Servers;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Field;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.sql.Connection;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.core.PGStream;
import org.postgresql.core.QueryExecutor;
import org.postgresql.core.QueryExecutorBase;
import org.postgresql.jdbc.PgConnection;

@Timeout(60)
class PromptSocketsTest {

  @Test
  void aReadWithTheShortestTimeoutDoesNotWait_andOthersDo() throws Exception {
    InetAddress here = InetAddress.getLoopbackAddress();
    try (ServerSocket server = new ServerSocket(0, 1, here);
        Socket client = new PromptSockets().createSocket();
        Socket other = connected(client, server)) {
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

  private static Socket connected(Socket client, ServerSocket server) throws IOException {
    client.connect(server.getLocalSocketAddress());
    return server.accept();
  }

  /** The driver says nowhere what it has, and would do as well without. */
  @Test
  void theClientsOwnConnectionsHaveThem() throws Exception {
    LockConfig config = LockConfig.parse(Server.uri());
    Servers servers = new Servers(
        config.get(PostgresOptions.HOSTS),
        5432,
        config.get(PostgresOptions.DATABASE),
        new PostgresDriver(config, "sockets"));
    try (Connection connection = servers.connect()) {
      Field stream = QueryExecutorBase.class.getDeclaredField("pgStream");
      stream.setAccessible(true);
      QueryExecutor executor = connection.unwrap(PgConnection.class).getQueryExecutor();
      Socket socket = ((PGStream) stream.get(executor)).getSocket();
      assertThat(socket.getClass().getEnclosingClass()).isEqualTo(PromptSockets.class);
    }
  }
}
