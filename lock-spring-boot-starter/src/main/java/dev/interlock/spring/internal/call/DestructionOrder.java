package dev.interlock.spring.internal.call;

import dev.interlock.spring.internal.annotation.LockedAdvisor;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Lets beans that need the locks be destroyed before these: executors, whose tasks may hold some,
 * and singletons with locked methods, which others may call as they are destroyed themselves.
 */
final class DestructionOrder {
  /** The first one of the locks' own beans to be destroyed. */
  private static final String CALLS = "lockedCalls";

  private final ConfigurableListableBeanFactory beans;

  private DestructionOrder(ConfigurableListableBeanFactory beans) {
    this.beans = beans;
  }

  /** Sees to it for all that is there now; makes no bean. */
  static void arrange(ConfigurableListableBeanFactory beans) {
    DestructionOrder order = new DestructionOrder(beans);
    for (String executor : beans.getBeanNamesForType(Executor.class, false, false)) {
      order.destroyFirst(executor);
    }
    for (String name : beans.getSingletonNames()) {
      if (LockedAdvisor.isOn(beans.getSingleton(name))) {
        order.destroyFirst(name);
      }
    }
  }

  private void destroyFirst(String name) {
    if (!isNeededByLocks(name)) {
      beans.registerDependentBean(CALLS, name);
    }
  }

  /** A circle would close the clients before the calls that are under way. */
  private boolean isNeededByLocks(String name) {
    Set<String> seen = new HashSet<>();
    Deque<String> left = new ArrayDeque<>(List.of(name));
    while (!left.isEmpty()) {
      String next = left.remove();
      if (next.equals(CALLS)) {
        return true;
      }
      if (seen.add(next)) {
        left.addAll(List.of(beans.getDependentBeans(next)));
      }
    }
    return false;
  }
}
