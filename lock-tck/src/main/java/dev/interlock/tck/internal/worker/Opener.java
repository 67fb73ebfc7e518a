package dev.interlock.tck.internal.worker;

import dev.interlock.LockClient;
import dev.interlock.LockConfig;
import dev.interlock.LockListener;
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.LockClients;
import dev.interlock.spi.LockProvider;
import dev.interlock.tck.ClientSource;
import dev.interlock.tck.NotOfferedException;
import java.io.Serializable;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * How clients are opened, in this JVM and in workers.
 *
 * @param uri where the backend is; may carry a password
 * @param source the class of the source; null for a provider of Interlock
 */
public record Opener(String uri, @Nullable String source) implements Serializable {

  /** Tells whether clients report to listeners. */
  public boolean hasEvents() {
    return source == null;
  }

  /** Returns the same with another URI. */
  public Opener at(String other) {
    return new Opener(other, source);
  }

  public LockClient open() {
    return open(UnaryOperator.identity());
  }

  /**
   * Opens a client.
   *
   * @param wrapper what to put before its backend, if it has one
   */
  public LockClient open(UnaryOperator<LockBackend> wrapper) {
    return source == null
        ? open(LockConfig.parse(uri), wrapper)
        : instantiate(source).open(uri);
  }

  /** The same for a client that reports to a listener. */
  public LockClient open(LockListener listener, UnaryOperator<LockBackend> wrapper) {
    if (!hasEvents()) {
      throw new NotOfferedException("a listener that hears of attempts and renewals");
    }
    return open(LockConfig.parse(uri).toBuilder().listener(listener).build(), wrapper);
  }

  private static LockClient open(LockConfig config, UnaryOperator<LockBackend> wrapper) {
    LockProvider provider = LockClients.provider(config);
    return LockClients.open(
        provider, config, context -> wrapper.apply(provider.open(config, context)));
  }

  public static ClientSource instantiate(String source) {
    try {
      return Class.forName(source)
          .asSubclass(ClientSource.class)
          .getDeclaredConstructor()
          .newInstance();
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(
          source
              + " cannot be used: it must be public, with a public constructor without arguments",
          e);
    }
  }

  /** Prints nothing of the URI. */
  @Override
  public String toString() {
    return "Opener[" + source + "]";
  }
}
