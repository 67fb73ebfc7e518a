package dev.interlock.tck.internal.run;

import dev.interlock.Capability;
import dev.interlock.LockClient;
import dev.interlock.LockConfig;
import dev.interlock.Locks;
import dev.interlock.Option;
import dev.interlock.ProviderInfo;
import dev.interlock.spi.BackendContext;
import dev.interlock.spi.BackendEvents;
import dev.interlock.spi.ClientId;
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.LockClients;
import dev.interlock.spi.LockProvider;
import dev.interlock.tck.ClientSource;
import dev.interlock.tck.NotOfferedException;
import dev.interlock.tck.TckBackend;
import dev.interlock.tck.TckFault;
import dev.interlock.tck.TckMembers;
import dev.interlock.tck.TckScales;
import dev.interlock.tck.internal.fault.FaultProxy;
import dev.interlock.tck.internal.fault.Route;
import dev.interlock.tck.internal.worker.Opener;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The provider under test, and what it promises with the settings under test. It is also used
 * without the engine, so that a command can be repeated or sent late.
 */
record Target(
    TckBackend backend, ProviderInfo info, @Nullable LockProvider provider) {

  static Target of(TckBackend backend) {
    return backend
        .source()
        .map(source -> foreign(backend, source))
        .orElseGet(() -> provided(backend));
  }

  private static Target foreign(TckBackend backend, Class<? extends ClientSource> type) {
    ClientSource source = Opener.instantiate(type.getName());
    ProviderInfo info = new ProviderInfo(
        source.id(), source.version(), source.capabilities(), "opened by " + type.getName());
    return new Target(backend, info, null);
  }

  private static Target provided(TckBackend backend) {
    LockConfig config = LockConfig.parse(backend.uri());
    LockProvider provider = LockClients.provider(config);
    ProviderInfo found = Locks.providers().stream()
        .filter(any -> any.id().equals(config.provider()))
        .findFirst()
        .orElseThrow();
    // What it promises may depend on the settings, such as those of the members of a quorum.
    ProviderInfo info = new ProviderInfo(
        found.id(), found.version(), provider.capabilities(config), found.location());
    return new Target(backend, info, provider);
  }

  /** Whether the lock has an API of its own, and no provider. */
  boolean isForeign() {
    return provider == null;
  }

  Opener opener() {
    return new Opener(backend.uri(), backend.source().map(Class::getName).orElse(null));
  }

  /** The options of the URI; none if it is not the provider's. */
  List<Option<?>> options() {
    return provider == null ? List.of() : provider.options();
  }

  DirectBackend open() {
    return open(UnaryOperator.identity());
  }

  /** Opens the backend without the engine before it, through a proxy. */
  DirectBackend open(FaultProxy proxy, UnaryOperator<LockBackend> wrapper) {
    String uri = route().orElseThrow().uriAt(proxy.addresses());
    return open(LockConfig.parse(uri), wrapper);
  }

  /** Opens the backend of one member alone, as the whole opens it. */
  DirectBackend open(TckMembers.Member member, UnaryOperator<LockBackend> wrapper) {
    long client = ThreadLocalRandom.current().nextLong();
    ClientId id = new ClientId(HexFormat.of().toHexDigits(client), "tck");
    LockBackend opened = wrapper.apply(BackendContext.of(id).open(LockConfig.parse(member.uri())));
    opened.subscribe(BackendEvents.IGNORED);
    return new DirectBackend(opened, client);
  }

  /** What one member promises. */
  Set<Capability> capabilities(TckMembers.Member member) {
    LockConfig config = LockConfig.parse(member.uri());
    return LockClients.provider(config).capabilities(config);
  }

  /** Opens the backend without the engine before it. */
  DirectBackend open(UnaryOperator<LockBackend> wrapper) {
    return open(LockConfig.parse(backend.uri()), wrapper);
  }

  private DirectBackend open(LockConfig config, UnaryOperator<LockBackend> wrapper) {
    long client = ThreadLocalRandom.current().nextLong();
    ClientId id = new ClientId(HexFormat.of().toHexDigits(client), "tck");
    LockBackend opened = wrapper.apply(own().open(config, BackendContext.of(id)));
    opened.subscribe(BackendEvents.IGNORED);
    return new DirectBackend(opened, client);
  }

  /** Opens a client whose backend is wrapped, so that answers can be delayed and lost. */
  LockClient openWrapped(UnaryOperator<LockBackend> wrapper) {
    LockProvider own = own();
    LockConfig config = LockConfig.parse(backend.uri());
    return LockClients.open(own, config, context -> wrapper.apply(own.open(config, context)));
  }

  private LockProvider own() {
    if (provider == null) {
      throw new NotOfferedException("commands that the kit repeats, delays or sends late");
    }
    return provider;
  }

  /** Where the servers are, if a proxy can stand before them. */
  Optional<Route> route() {
    return Route.of(backend);
  }

  /** The faults that can be injected. */
  Set<TckFault> faults() {
    Set<TckFault> faults = EnumSet.noneOf(TckFault.class);
    backend.control().ifPresent(control -> faults.addAll(control.faults()));
    faults.remove(TckFault.CONNECTION);
    route().ifPresent(unused -> faults.add(TckFault.CONNECTION));
    return faults;
  }

  /** The scales of a run with this backend, whose server is so far away. */
  TckScales scales(Duration roundTrip) {
    Duration granularity = provider == null
        ? Duration.ZERO
        : provider.leaseGranularity(LockConfig.parse(backend.uri()));
    return TckScales.of(backend.timeScale(), roundTrip, granularity);
  }

  String server() {
    return backend.server().orElseGet(() -> {
      if (isForeign()) {
        return "unknown";
      }
      try (DirectBackend opened = open()) {
        return opened.backend().server();
      }
    });
  }
}
