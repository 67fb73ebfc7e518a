package dev.interlock.spring.internal.observability;

import dev.interlock.LockClient;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/** Asks the backend of a lock that nobody takes: whoever answers that can also grant. */
public final class LockHealthIndicator extends AbstractHealthIndicator {
  private static final String PROBE = "interlock-health";

  private final LockClient client;

  public LockHealthIndicator(LockClient client) {
    super("The lock backend does not answer");
    this.client = client;
  }

  @Override
  protected void doHealthCheck(Health.Builder builder) {
    client.inspect(PROBE);
    builder
        .up()
        .withDetail("client", client.toString())
        .withDetail("capabilities", client.capabilities());
  }
}
