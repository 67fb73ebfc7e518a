package dev.interlock.spring.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;

/** An application that opens its clients itself. */
@SpringBootTest
@AutoConfigureTestLocks
class SeveralClientsTest {

  @Configuration(proxyBeanMethods = false)
  static class Own {
    @Bean
    @Primary
    LockClient orders() {
      throw new IllegalStateException("opens no server");
    }

    @Bean
    @Qualifier("slow")
    LockClient reports() {
      throw new IllegalStateException("opens no server");
    }
  }

  @Autowired
  private LockClient orders;

  @Autowired
  @Qualifier("slow")
  private LockClient reports;

  @Autowired
  private TestLocks locks;

  @Test
  void each_has_its_own_locks() {
    assertThat(orders).isNotSameAs(reports);
    Lease held = locks.hold(reports, LockRequest.of("x"));
    LockAssertions.assertThat(reports).hasHeld("x");
    LockAssertions.assertThat(orders).hasFree("x");
    held.release();
    assertThatThrownBy(() -> locks.hold("x"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("has 2 LockClient beans [orders, reports]");
  }
}
