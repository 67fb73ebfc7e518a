package dev.interlock.spring.test;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The meters of clients that a test has replaced tell them apart. */
@SpringBootTest(
    properties = {
      "interlock.uri=redis-hash://nowhere",
      "interlock.clients.orders.uri=redis-hash://nowhere"
    })
@AutoConfigureTestLocks
class NamedClientMetersTest {

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Application {
    @Bean
    MeterRegistry meters() {
      return new SimpleMeterRegistry();
    }
  }

  @Autowired
  private MeterRegistry meters;

  @Autowired
  private LockClient unnamed;

  @Autowired
  @Qualifier("orders")
  private LockClient orders;

  private long holds(String client) {
    return meters.get("interlock.hold").tag("client", client).timer().count();
  }

  @Test
  void each_has_its_own_tag() throws InterruptedException {
    orders.acquire(LockRequest.of("x")).release();
    assertThat(holds("orders")).isEqualTo(1);
    assertThat(holds("default")).isZero();
    unnamed.acquire(LockRequest.of("x")).release();
    assertThat(holds("orders")).isEqualTo(1);
    assertThat(holds("default")).isEqualTo(1);
  }
}
