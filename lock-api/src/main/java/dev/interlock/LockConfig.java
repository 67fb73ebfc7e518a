package dev.interlock;

import dev.interlock.internal.opening.ClientFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Which provider to open, and how. Immutable. The options are those of the provider's URI, typed.
 * Each value is checked when it is set, and all of them together when the client is opened.
 */
public final class LockConfig {
  private final String provider;
  private final Map<Option<?>, Object> values;
  private final List<LockListener> listeners;
  private final @Nullable Executor executor;

  private LockConfig(Builder builder) {
    this.provider = builder.provider;
    this.values = Collections.unmodifiableMap(new LinkedHashMap<>(builder.values));
    this.listeners = List.copyOf(builder.listeners);
    this.executor = builder.executor;
  }

  /**
   * Reads a URI with the options of its provider, for example to add a listener. Does no I/O beyond
   * the class path.
   *
   * @param uri as for {@link Locks#open(String)}
   * @return the configuration
   * @throws LockConfigurationException if the URI is wrong
   * @throws LockProviderNotFoundException if there is no provider for the scheme
   */
  public static LockConfig parse(String uri) {
    return ClientFactory.parse(uri);
  }

  /**
   * Starts from nothing.
   *
   * @param provider the provider's id
   * @return a builder
   */
  public static Builder builder(String provider) {
    return new Builder(Objects.requireNonNull(provider, "provider"));
  }

  /**
   * Starts from this configuration.
   *
   * @return a builder with the same provider, options, listeners and executor
   */
  public Builder toBuilder() {
    Builder builder = new Builder(provider);
    builder.values.putAll(values);
    builder.listeners.addAll(listeners);
    builder.executor = executor;
    return builder;
  }

  /**
   * Returns the provider's id.
   *
   * @return the id
   */
  public String provider() {
    return provider;
  }

  /**
   * Returns an option's value, or its default.
   *
   * @param option the option
   * @param <T> its type
   * @return the value
   * @throws NoSuchElementException if it was not given and has no default
   */
  public <T> T get(Option<T> option) {
    return find(option)
        .orElseThrow(() -> new NoSuchElementException("no value for option " + option.name()));
  }

  /**
   * Returns an option's value or its default, if there is either.
   *
   * @param option the option
   * @param <T> its type
   * @return the value
   */
  @SuppressWarnings("unchecked") // the builder puts only a T under an Option<T>
  public <T> Optional<T> find(Option<T> option) {
    T value = (@Nullable T) values.get(option);
    return value == null ? option.defaultValue() : Optional.of(value);
  }

  /**
   * Returns the options that were given.
   *
   * @return options and values, unmodifiable
   */
  public Map<Option<?>, Object> values() {
    return values;
  }

  /**
   * Returns who hears of what the client does.
   *
   * @return the listeners, in order
   */
  public List<LockListener> listeners() {
    return listeners;
  }

  /**
   * Returns where the results of asynchronous requests go.
   *
   * @return the application's executor; empty if the client uses threads of its own
   */
  public Optional<Executor> executor() {
    return Optional.ofNullable(executor);
  }

  /** Prints provider and options, with every secret replaced. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("LockConfig[").append(provider);
    values.forEach((option, value) -> text.append(", ")
        .append(option.name())
        .append('=')
        .append(option.isSensitive() ? "REDACTED" : value));
    return text.append(']').toString();
  }

  /** Collects options. Not thread-safe. */
  public static final class Builder {
    private final String provider;
    private final Map<Option<?>, Object> values = new LinkedHashMap<>();
    private final List<LockListener> listeners = new ArrayList<>();
    private @Nullable Executor executor;

    private Builder(String provider) {
      this.provider = provider;
    }

    /**
     * Sets an option. A list is copied: the configuration does not change with the caller's.
     *
     * @param option one of {@link CommonOptions} or of the provider
     * @param value its value
     * @param <T> its type
     * @return this
     * @throws IllegalArgumentException if the value is not allowed
     */
    public <T> Builder set(Option<T> option, T value) {
      values.put(option, option.check(copied(value)));
      return this;
    }

    @SuppressWarnings("unchecked") // the value of an option that is a list is any List
    private static <T> T copied(T value) {
      return value instanceof List<?> list ? (T) List.copyOf(list) : value;
    }

    /**
     * Adds a listener.
     *
     * @param listener hears of what the client does
     * @return this
     */
    public Builder listener(LockListener listener) {
      listeners.add(Objects.requireNonNull(listener, "listener"));
      return this;
    }

    /**
     * Names where the futures of {@link LockClient#acquireAsync} complete, and so where the actions
     * run that depend on them. By default that is on four daemon threads of the client, for leases,
     * and four for failures. Others stand in while actions last, up to 32 of each, so an action
     * must not block for long.
     *
     * <p>The executor should not wait for a lock. Nor should it run long work on the thread that
     * hands it over, which would hold up the other results of this client. A result that the
     * executor refuses, or does not run within one lease, is withdrawn: the lock is given back, and
     * the future fails with {@link BackendUnavailableException} on a thread of the client. The
     * client uses the executor for nothing else, and never shuts it down.
     *
     * @param executor the application's executor
     * @return this
     */
    public Builder executor(Executor executor) {
      this.executor = Objects.requireNonNull(executor, "executor");
      return this;
    }

    /**
     * Finishes.
     *
     * @return the configuration
     */
    public LockConfig build() {
      return new LockConfig(this);
    }
  }
}
