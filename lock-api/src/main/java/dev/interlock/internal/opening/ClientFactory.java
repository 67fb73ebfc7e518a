package dev.interlock.internal.opening;

import dev.interlock.CommonOptions;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockConfig;
import dev.interlock.LockConfigurationException;
import dev.interlock.ProviderInfo;
import dev.interlock.internal.engine.EngineClient;
import dev.interlock.internal.engine.HoldIds;
import dev.interlock.internal.engine.LeaseHandle;
import dev.interlock.internal.engine.Terms;
import dev.interlock.internal.running.Clocks;
import dev.interlock.spi.BackendContext;
import dev.interlock.spi.ClientId;
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.LockProvider;
import dev.interlock.spi.Uninterruptibly;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

/** Finds the provider, checks the settings, and joins backend and engine. */
public final class ClientFactory {
  private ClientFactory() {}

  /** Opens what a URI names. */
  public static LockClient open(String uri) {
    LockUri parsed = LockUri.parse(uri);
    LockProvider provider = Providers.discover().require(parsed.scheme());
    LockConfig config = Settings.read(parsed, provider);
    return connect(provider, config, context -> provider.open(config, context));
  }

  /** Opens the backend that a configuration names, without an engine before it. */
  public static LockBackend openBackend(LockConfig config, BackendContext context) {
    LockProvider provider = provider(config);
    return withLibraries(provider, () -> provider.open(config, context));
  }

  /** Finds the provider that a configuration is for, and checks the settings. */
  public static LockProvider provider(LockConfig config) {
    LockProvider provider = Providers.discover().require(config.provider());
    Settings.check(config, provider);
    return provider;
  }

  /** Reads a URI without opening it. */
  public static LockConfig parse(String uri) {
    LockUri parsed = LockUri.parse(uri);
    return Settings.read(parsed, Providers.discover().require(parsed.scheme()));
  }

  /** Opens what a configuration names. */
  public static LockClient open(LockConfig config) {
    LockProvider provider = Providers.discover().require(config.provider());
    return open(provider, config, context -> provider.open(config, context));
  }

  /** Opens a backend that the caller makes. */
  public static LockClient open(
      LockProvider provider, LockConfig config, Function<BackendContext, LockBackend> opener) {
    Settings.check(config, provider);
    return connect(provider, config, opener);
  }

  /** Leaves a fixed lease to the server. */
  public static void keep(Lease lease) {
    if (!(lease instanceof LeaseHandle handle)) {
      throw new IllegalArgumentException(
          "%s is no lease of one lock".formatted(lease.getClass().getName()));
    }
    handle.keep();
  }

  /** Lists what could be opened. */
  public static List<ProviderInfo> providers() {
    return Providers.discover().list();
  }

  private static LockClient connect(
      LockProvider provider, LockConfig config, Function<BackendContext, LockBackend> opener) {
    HoldIds ids = new HoldIds();
    ClientId client = new ClientId(HexFormat.of().toHexDigits(ids.client()), host());
    Terms terms = new Terms(
        provider.id(),
        provider.capabilities(config),
        provider.fairByDefault(config),
        config.get(CommonOptions.LEASE));
    return withLibraries(
        provider,
        () -> Uninterruptibly.call(() -> {
          LockBackend backend = opener.apply(BackendContext.of(client));
          try {
            return new EngineClient(terms, config, ids, client, backend, Clocks.SYSTEM);
          } catch (Throwable e) {
            backend.close();
            throw e;
          }
        }));
  }

  private static <T> T withLibraries(LockProvider provider, Supplier<T> opening) {
    try {
      return opening.get();
    } catch (LinkageError e) {
      throw new LockConfigurationException(
          "A library that the provider '%s' uses is missing on the class path, or too old or too new: %s"
              .formatted(provider.id(), e),
          e);
    }
  }

  private static String host() {
    long pid = ProcessHandle.current().pid();
    try {
      return InetAddress.getLocalHost().getHostName() + ":" + pid;
    } catch (UnknownHostException e) {
      return "localhost:" + pid;
    }
  }
}
