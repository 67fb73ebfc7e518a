package dev.interlock.mysql.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.mysql.Server;
import dev.interlock.testservers.MysqlServer;
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
  private final Logger logger = Logger.getLogger("dev.interlock.mysql");
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
    MysqlServer server = Server.shared();
    String uri = Server.uri();
    String flush = server.execute("SELECT @@GLOBAL.innodb_flush_log_at_trx_commit");
    Server.client(uri).close();
    assertThat(logged).isEmpty();
    server.execute("SET GLOBAL innodb_flush_log_at_trx_commit = 2");
    try {
      Server.client(uri).close();
    } finally {
      server.execute("SET GLOBAL innodb_flush_log_at_trx_commit = " + flush);
    }
    assertThat(logged)
        .singleElement()
        .asString()
        .startsWith(server.version())
        .contains("innodb_flush_log_at_trx_commit is 2 and not 1")
        .contains("DURABLE");
  }

  @Test
  void d1_whatCountsIsTheLogOfTheEngineAndTheBinaryLogIfThereIsOne() {
    assertThat(ServerFacts.durabilityRisks(1, true, 1)).isEmpty();
    assertThat(ServerFacts.durabilityRisks(3, false, 0)).isEmpty();
    assertThat(ServerFacts.durabilityRisks(0, false, 0)).hasSize(1);
    assertThat(ServerFacts.durabilityRisks(1, true, 0))
        .containsExactly("sync_binlog is 0 and not 1");
    assertThat(ServerFacts.durabilityRisks(2, true, 1000)).hasSize(2);
  }
}
