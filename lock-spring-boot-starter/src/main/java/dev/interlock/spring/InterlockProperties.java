package dev.interlock.spring;

import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The settings of an application.
 *
 * @param enabled Whether locks are configured at all.
 * @param uri Where the locks live, such as local:// or redis-hash://localhost:6379; the scheme
 *     needs the provider of that name.
 * @param reuse Which connections of the application to use instead of a URI.
 * @param lease Default lease of locks that name none; renewed every third of it. 30 s unless set.
 * @param namespace Keeps the locks of several applications on one server apart.
 * @param options Further options of the provider, by their names in the URI, such as schema.
 * @param locked Defaults of @Locked.
 * @param metrics What the meters tell.
 */
@ConfigurationProperties("interlock")
record InterlockProperties(
    @DefaultValue("true") boolean enabled,
    @Nullable String uri,
    @DefaultValue("none") Reuse reuse,
    @Nullable Duration lease,
    @Nullable String namespace,
    @DefaultValue Map<String, String> options,
    @DefaultValue LockedDefaults locked,
    @DefaultValue Metrics metrics) {

  /**
   * What holds for annotated methods that do not say it themselves.
   *
   * @param waitFor How long a method waits for its lock if it fails when the lock is busy.
   * @param order Order of the lock among the interceptors of a method; a transaction must come
   *     after it.
   */
  record LockedDefaults(
      @DefaultValue("10s") Duration waitFor,
      @DefaultValue("" + LockedAdvisor.DEFAULT_ORDER) int order) {}

  /**
   * What the meters tell.
   *
   * @param lockNames Whether each lock has meters of its own, tagged with its name. Only for a
   *     small number of names.
   */
  record Metrics(@DefaultValue("false") boolean lockNames) {}
}
