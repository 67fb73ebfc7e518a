package example.orders;

import dev.interlock.spring.LockedJob;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/** Counts the orders once in each period. Every instance schedules it, one runs it. */
@Component
class Report {
  private static final Logger LOG = LoggerFactory.getLogger(Report.class);

  private final JdbcClient jdbc;
  private final String instance;

  Report(JdbcClient jdbc, @Value("${orders.instance}") String instance) {
    this.jdbc = jdbc;
    this.instance = instance;
  }

  @Scheduled(cron = "${orders.report.cron}")
  @LockedJob(name = "report", atLeast = "${orders.report.at-least}")
  public void make() {
    int orders = jdbc.sql("SELECT COUNT(*) FROM orders").query(Integer.class).single();
    jdbc.sql("INSERT INTO reports VALUES (CURRENT_TIMESTAMP, ?, ?)")
        .params(instance, orders)
        .update();
    LOG.info("{} orders, counted by instance {}", orders, instance);
  }
}
