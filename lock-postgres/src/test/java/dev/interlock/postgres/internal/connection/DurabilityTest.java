package dev.interlock.postgres.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.postgres.Server;
import dev.interlock.testservers.PostgresServer;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class DurabilityTest {
  private final Logger logger = Logger.getLogger("dev.interlock.postgres");
  private final List<String> logged = new CopyOnWriteArrayList<>();
  private final Handler handler = new Handler() {
    @Override
    public void publish(LogRecord event) {
      logged.add(new SimpleFormatter().formatMessage(event));
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  };

  @BeforeEach
  void listen() {
    logger.addHandler(handler);
    logger.setUseParentHandlers(false);
  }

  @AfterEach
  void stop() {
    logger.removeHandler(handler);
    logger.setUseParentHandlers(true);
  }

  @Test
  void d1_aServerThatMayLoseCommitsIsWarnedOfWhenAClientOpens() {
    PostgresServer server = Server.shared();
    String uri = Server.uri();
    Server.client(uri).close();
    assertThat(logged).isEmpty();
    String database = "ALTER DATABASE \"" + server.database() + "\" ";
    server.execute(database + "SET synchronous_commit = off");
    try {
      Server.client(uri).close();
    } finally {
      server.execute(database + "RESET synchronous_commit");
    }
    assertThat(logged)
        .singleElement()
        .asString()
        .startsWith("PostgreSQL ")
        .contains("synchronous_commit is off")
        .contains("DURABLE");
  }
}
