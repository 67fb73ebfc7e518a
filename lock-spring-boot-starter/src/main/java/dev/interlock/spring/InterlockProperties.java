package dev.interlock.spring;

import dev.interlock.spring.internal.annotation.LockedAdvisor;
import dev.interlock.spring.internal.client.ClientSettings;
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
 *     needs the provider of that name. Without it the locks use the application's own DataSource or
 *     Redis connection.
 * @param provider Without a URI, the provider that uses the application's connections, such as
 *     postgres; needed if several on the class path could.
 * @param bean Without a URI, the name of the bean whose connections the locks use, such as a
 *     DataSource; needed if there are several.
 * @param lease Default lease of locks that name none; renewed every third of it. 30 s unless set.
 * @param namespace Keeps the locks of several applications on one server apart.
 * @param options Further options of the provider, by their names in the URI, such as schema.
 * @param clients Further clients by their names, each with a uri, provider, bean, lease, namespace
 *     and options of its own.
 * @param locked Defaults of @Locked.
 * @param metrics What the meters tell.
 */
@ConfigurationProperties(prefix = "interlock", ignoreUnknownFields = false)
record InterlockProperties(
    @DefaultValue("true") boolean enabled,
    @Nullable String uri,
    @Nullable String provider,
    @Nullable String bean,
    @Nullable Duration lease,
    @Nullable String namespace,
    @DefaultValue Map<String, String> options,
    @DefaultValue Map<String, Client> clients,
    @DefaultValue LockedDefaults locked,
    @DefaultValue Metrics metrics) {

  /** The settings of the client that has no name. */
  Client client() {
    return new Client(uri, provider, bean, lease, namespace, options);
  }

  /**
   * The settings of one client.
   *
   * @param uri Where the locks live. Without it they use the application's own connections.
   * @param provider Without a URI, the provider that uses the application's connections.
   * @param bean Without a URI, the name of the bean whose connections the locks use.
   * @param lease Default lease of locks that name none.
   * @param namespace Keeps the locks of several applications on one server apart.
   * @param options Further options of the provider, by their names in the URI.
   */
  record Client(
      @Nullable String uri,
      @Nullable String provider,
      @Nullable String bean,
      @Nullable Duration lease,
      @Nullable String namespace,
      @DefaultValue Map<String, String> options) {

    ClientSettings settings() {
      return new ClientSettings(uri, provider, bean, lease, namespace, options);
    }
  }

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
