package dev.interlock;

import java.time.Duration;
import java.util.List;

/** The options that every provider understands. */
public final class CommonOptions {
  /** The default lease, of requests that name none. Renewed every third of it. */
  public static final Option<Duration> LEASE = Option.duration("lease", Duration.ofSeconds(30))
      .atLeast(LockRequest.MIN_LEASE)
      .atMost(LockRequest.MAX_LEASE)
      .describedAs("default lease, renewed every third of it until released");

  /** Keeps applications on one server apart: the same name in two namespaces is two locks. */
  public static final Option<String> NAMESPACE = Option.text("namespace", "interlock")
      .matching("[A-Za-z0-9._-]{1,64}", "1 to 64 letters, digits, dots, hyphens, underscores")
      .describedAs("keeps the locks of several applications on one server apart");

  /** All of them. */
  public static final List<Option<?>> ALL = List.of(LEASE, NAMESPACE);

  private CommonOptions() {}
}
