package dev.interlock.internal.opening;

import dev.interlock.Capability;
import dev.interlock.HostPort;
import dev.interlock.LockConfig;
import dev.interlock.Option;
import dev.interlock.spi.BackendContext;
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.LockProvider;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** A provider with an option of each kind, which is never opened. */
public class TestProvider implements LockProvider {
  static final Option<List<HostPort>> HOSTS = Option.hosts(null).mandatory();
  static final Option<String> USER = Option.text("user", null).in(Option.Part.USER);
  static final Option<String> PASSWORD = Option.text("password", null)
      .in(Option.Part.PASSWORD)
      .that(text -> text.length() >= 4, "at least 4 characters long")
      .secret();
  static final Option<Integer> DATABASE =
      Option.integer("database", 0).in(Option.Part.PATH).atLeast(0).atMost(15);
  static final Option<Integer> POOL = Option.integer("pool-size", 8).atLeast(1).atMost(64);
  static final Option<Boolean> TLS = Option.bool("tls", false);
  static final Option<Duration> TIMEOUT = Option.duration("timeout", Duration.ofSeconds(2));
  static final Option<Capability> MODE = Option.choice("mode", Capability.class, null);

  @Override
  public String id() {
    return "acme";
  }

  @Override
  public Set<Capability> capabilities(LockConfig config) {
    return Set.of();
  }

  @Override
  public List<Option<?>> options() {
    return List.of(HOSTS, USER, PASSWORD, DATABASE, POOL, TLS, TIMEOUT, MODE);
  }

  @Override
  public List<String> conflicts(LockConfig config) {
    return config.get(TLS) && config.get(POOL) == 1
        ? List.of("tls needs a pool-size of 2 or more")
        : List.of();
  }

  @Override
  public LockBackend open(LockConfig config, BackendContext context) {
    throw new UnsupportedOperationException("never opened");
  }

  /** Has the same id. */
  public static final class Twin extends TestProvider {}

  /** Lacks its driver. */
  public static final class Incomplete extends TestProvider {
    @Override
    public LockBackend open(LockConfig config, BackendContext context) {
      throw new NoClassDefFoundError("acme/Driver");
    }
  }

  /** Cannot be made. */
  public static final class Broken extends TestProvider {
    /** Fails. */
    public Broken() {
      throw new IllegalStateException("no native library");
    }
  }
}
