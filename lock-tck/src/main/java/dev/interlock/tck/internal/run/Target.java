package dev.interlock.tck.internal.run;

import dev.interlock.LockClient;
import dev.interlock.LockConfig;
import dev.interlock.LockProviderNotFoundException;
import dev.interlock.Locks;
import dev.interlock.ProviderInfo;
import dev.interlock.spi.ClientId;
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.LockClients;
import dev.interlock.spi.LockProvider;
import dev.interlock.tck.TckBackend;
import dev.interlock.tck.TckFault;
import dev.interlock.tck.internal.fault.Endpoint;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.UnaryOperator;

/**
 * The provider under test, found as the API finds it and also directly, so that a command can be
 * repeated or sent late.
 */
record Target(TckBackend backend, ProviderInfo info, LockProvider provider) {

  static Target of(TckBackend backend) {
    LockConfig config = LockConfig.parse(backend.uri());
    ProviderInfo info = Locks.providers().stream()
        .filter(found -> found.id().equals(config.provider()))
        .findFirst()
        .orElseThrow(() -> missing(config.provider()));
    LockProvider provider = load(config.provider());
    return new Target(backend, info, provider);
  }

  private static LockProvider load(String id) {
    Iterator<LockProvider> all = ServiceLoader.load(LockProvider.class).iterator();
    while (true) {
      try {
        if (!all.hasNext()) {
          throw missing(id);
        }
        LockProvider provider = all.next();
        if (provider.id().equals(id)) {
          return provider;
        }
      } catch (ServiceConfigurationError e) {
        // Another provider that cannot be loaded; the API has logged it.
      }
    }
  }

  DirectBackend open() {
    return open(UnaryOperator.identity());
  }

  /** Opens the backend without the engine before it. */
  DirectBackend open(UnaryOperator<LockBackend> wrapper) {
    long client = ThreadLocalRandom.current().nextLong();
    ClientId id = new ClientId(HexFormat.of().toHexDigits(client), "tck");
    LockBackend opened = wrapper.apply(provider.open(LockConfig.parse(backend.uri()), id));
    opened.subscribe(new NoEvents());
    return new DirectBackend(opened, client);
  }

  /** Opens a client whose backend is wrapped, so that answers can be delayed and lost. */
  LockClient openWrapped(UnaryOperator<LockBackend> wrapper) {
    LockConfig config = LockConfig.parse(backend.uri());
    return LockClients.open(
        provider, config, client -> wrapper.apply(provider.open(config, client)));
  }

  /** The server's address, if a proxy can stand before it. */
  Optional<Endpoint> endpoint() {
    return Endpoint.of(backend.uri(), provider.options());
  }

  /** The faults that can be injected. */
  Set<TckFault> faults() {
    Set<TckFault> faults = EnumSet.noneOf(TckFault.class);
    backend.control().ifPresent(control -> faults.addAll(control.faults()));
    faults.remove(TckFault.CONNECTION);
    endpoint().ifPresent(unused -> faults.add(TckFault.CONNECTION));
    return faults;
  }

  String server() {
    return backend.server().orElseGet(() -> {
      try (DirectBackend opened = open()) {
        return opened.backend().server();
      }
    });
  }

  private static LockProviderNotFoundException missing(String id) {
    return new LockProviderNotFoundException("The kit cannot load the provider \"" + id + "\".");
  }
}
