package dev.interlock.spring.test.slice;

import dev.interlock.spring.CurrentLease;
import dev.interlock.spring.LockNaming;
import dev.interlock.spring.Locked;
import dev.interlock.spring.LockedCall;
import dev.interlock.spring.OnBusy;
import org.springframework.stereotype.Component;
import org.springframework.stereotype.Service;

/** What a scan of the store finds. Not within it: members of a configuration are no slice's. */
final class Components {
  private Components() {}

  @Service
  static class Orders {
    @Locked(name = "order-#{#id}", onBusy = OnBusy.SKIP)
    public String ship(int id) {
      return CurrentLease.get().name();
    }
  }

  @Service
  static class Refunds implements Runnable {
    @Override
    public void run() {
      refund();
    }

    @Locked("refund")
    public void refund() {}
  }

  @Component
  static class Naming implements LockNaming {
    @Override
    public String name(LockedCall call, String name) {
      return "store/" + name;
    }
  }

  /** What a test of locks must not start. */
  @Component
  static class Warehouse {
    Warehouse() {
      throw new IllegalStateException("there is no warehouse in this test");
    }
  }
}
