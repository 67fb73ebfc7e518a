package dev.interlock.compare;

import dev.interlock.Capability;
import dev.interlock.LockConfig;
import dev.interlock.Option;
import dev.interlock.local.LocalProvider;
import dev.interlock.spi.BackendContext;
import dev.interlock.spi.HandOffBackend;
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.LockProvider;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Providers that cannot be used, each in its own way. */
public final class PlantedProviders {
  private PlantedProviders() {}

  abstract static class Planted implements LockProvider {
    @Override
    public String id() {
      return "twin";
    }

    @Override
    public Set<Capability> capabilities(LockConfig config) {
      return Set.of();
    }

    @Override
    public List<Option<?>> options() {
      return List.of();
    }

    @Override
    public LockBackend open(LockConfig config, BackendContext context) {
      throw new UnsupportedOperationException("it is never opened");
    }
  }

  /** Has the id of {@link SecondTwin}. */
  public static final class FirstTwin extends Planted {
    /** For the service loader. */
    public FirstTwin() {}
  }

  /** Has the id of {@link FirstTwin}. */
  public static final class SecondTwin extends Planted {
    /** For the service loader. */
    public SecondTwin() {}
  }

  /** Throws before it can be asked anything. */
  public static final class Unloadable extends Planted {
    /** Fails. */
    public Unloadable() {
      throw new IllegalStateException("planted");
    }
  }

  /** Locks within the JVM, but never sees that a lock is held. */
  public static final class Blind extends Planted {
    /** For the service loader. */
    public Blind() {}

    @Override
    public String id() {
      return "blind";
    }

    @Override
    public LockBackend open(LockConfig config, BackendContext context) {
      LockBackend sound = new LocalProvider().open(config, context);
      return (LockBackend) Proxy.newProxyInstance(
          Blind.class.getClassLoader(),
          new Class<?>[] {HandOffBackend.class},
          (proxy, method, arguments) -> {
            Object answer = method.invoke(sound, arguments);
            return method.getName().equals("inspect") ? Optional.empty() : answer;
          });
    }
  }
}
