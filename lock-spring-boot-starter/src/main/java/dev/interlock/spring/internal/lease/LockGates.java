package dev.interlock.spring.internal.lease;

import dev.interlock.LockClient;
import dev.interlock.spring.internal.client.ClientNames;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/** A gate for each client of the application. Immutable. */
public final class LockGates {
  private final Map<String, LockGate> gates = new LinkedHashMap<>();
  private final List<LockMeter> meters;
  private final UnaryOperator<Ending> tracking;

  /**
   * Opens the clients that are not open yet. They are closed after whatever depends on this bean.
   *
   * @param bean the name of this one
   */
  public LockGates(
      String bean,
      ConfigurableListableBeanFactory beans,
      List<LockMeter> meters,
      UnaryOperator<Ending> tracking) {
    this.meters = List.copyOf(meters);
    this.tracking = tracking;
    ClientNames.beans(beans).forEach((name, of) -> {
      LockClient client = beans.getBean(of, LockClient.class);
      beans.registerDependentBean(of, bean);
      List<LockMeter> own = meters.stream().map(meter -> meter.forClient(name)).toList();
      gates.put(name, new LockGate(client, LockMeter.of(own), tracking));
    });
  }

  /** The gate of the client with this name; null if there is none. */
  public @Nullable LockGate find(String name) {
    return gates.get(name);
  }

  /**
   * The gate of the client with this name.
   *
   * @throws IllegalStateException if there is none
   */
  public LockGate get(String name) {
    LockGate gate = find(name);
    if (gate == null) {
      throw new IllegalStateException(
          "there is no lock client '%s'; there are %s".formatted(name, gates.keySet()));
    }
    return gate;
  }

  /** The gate of a client; of one that is no bean here, such as a parent context's, a new one. */
  public LockGate of(LockClient client) {
    return gates.values().stream()
        .filter(gate -> gate.client() == client)
        .findFirst()
        .orElseGet(() -> new LockGate(client, LockMeter.of(meters), tracking));
  }

  /** The clients by their names. */
  public Map<String, LockClient> clients() {
    return gates.entrySet().stream()
        .collect(Collectors.toMap(Map.Entry::getKey, entry -> entry.getValue().client()));
  }
}
