package dev.interlock.spring.test;

import dev.interlock.LeaseLostException;
import dev.interlock.LockClient;
import dev.interlock.spring.Locked;
import dev.interlock.spring.LockedJob;
import dev.interlock.spring.OnBusy;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Import;

/** An application, whose server is not there. */
@SpringBootConfiguration
@EnableAutoConfiguration
@Import(Shop.Orders.class)
class Shop {

  static class Orders {
    private final LockClient locks;

    Orders(LockClient locks) {
      this.locks = locks;
    }

    @Locked(name = "order-#{#id}", onBusy = OnBusy.SKIP)
    public boolean ship(int id) {
      return true;
    }

    @Locked("refund")
    public void refund() {
      LockAssertions.assertThat(locks).hasHeld("refund");
    }

    /** Whose lock is taken away. */
    @Locked("lost")
    public void lose(Runnable work) throws LeaseLostException {
      work.run();
    }

    @LockedJob(name = "report", atLeast = "50s")
    public Integer report() {
      return 7;
    }

    @LockedJob(name = "inventory", atLeast = "50s")
    public Integer inventory(Runnable work) {
      work.run();
      return 7;
    }
  }
}
