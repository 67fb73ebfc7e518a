package dev.interlock.spring.internal.call;

import dev.interlock.Capability;
import dev.interlock.LockConfigurationException;
import dev.interlock.spring.internal.annotation.LockAnnotation;
import dev.interlock.spring.internal.annotation.LockedMethods;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Supplier;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * Ends the start of an application whose methods need what the provider of their client does not
 * declare. Beans that are made later hear of it at their first call.
 */
public final class CapabilityCheck implements SmartInitializingSingleton {
  private final LockedMethods methods;
  private final Supplier<LockedCalls> calls;

  /**
   * Creates the check.
   *
   * @param calls asked only if a method needs more than every provider has
   */
  public CapabilityCheck(LockedMethods methods, Supplier<LockedCalls> calls) {
    this.methods = methods;
    this.calls = calls;
  }

  @Override
  public void afterSingletonsInstantiated() {
    Set<String> faults = new LinkedHashSet<>(); // a method may be read through several types
    methods.known().filter(locked -> !locked.needs().isEmpty()).forEach(locked -> {
      Set<Capability> missing = locked.needs();
      missing.removeAll(calls.get().gate(locked).client().capabilities());
      for (Capability capability : missing) {
        faults.add("%s on %s needs the capability %s, which the provider of %s does not declare"
            .formatted(
                LockAnnotation.labelOf(locked.method()),
                LockedMethods.describe(locked.method()),
                capability,
                locked.client().isEmpty()
                    ? "the client without a name"
                    : "client '%s'".formatted(locked.client())));
      }
    });
    if (!faults.isEmpty()) {
      throw new LockConfigurationException(String.join("; ", faults));
    }
  }
}
