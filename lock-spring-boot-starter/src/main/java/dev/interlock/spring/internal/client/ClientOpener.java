package dev.interlock.spring.internal.client;

import dev.interlock.LockClient;
import dev.interlock.LockConfig;
import dev.interlock.LockConfigurationException;
import dev.interlock.LockProviderNotFoundException;
import dev.interlock.Locks;
import dev.interlock.ProviderInfo;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.StringUtils;

/**
 * Opens a client: where its URI says, or over the one connection of the application that a provider
 * on the class path can use.
 */
public final class ClientOpener {
  private static final Logger LOG = System.getLogger("dev.interlock.spring");

  private final String prefix;
  private final ClientSettings properties;
  private final OwnBeans beans;
  private final Set<String> providers = Locks.providers().stream()
      .map(ProviderInfo::id)
      .collect(Collectors.toCollection(TreeSet::new));

  /**
   * Creates an opener.
   *
   * @param prefix what the names of the client's properties begin with
   */
  public ClientOpener(
      String prefix, ClientSettings properties, ConfigurableListableBeanFactory beans) {
    this.prefix = prefix;
    this.properties = properties;
    this.beans = new OwnBeans(beans, text(properties.bean()), prefix);
  }

  /**
   * Opens it. Blocks until the server has answered.
   *
   * @param customizing changes what the properties say
   */
  public LockClient open(UnaryOperator<LockConfig> customizing) {
    String uri = text(properties.uri());
    if (uri != null) {
      refuse("provider", properties.provider());
      refuse("bean", properties.bean());
      return Locks.open(
          customizing.apply(LockSettings.read(prefix, properties, LockConfig.parse(uri))));
    }
    OwnConnection connection = connection();
    LOG.log(
        Level.INFO,
        "{0}.uri is not set: locks by {1} over the bean ''{2}''",
        prefix,
        connection.provider(),
        connection.bean());
    return connection
        .opening()
        .apply(customizing.apply(LockSettings.read(prefix, properties, connection.start())));
  }

  private void refuse(String name, @Nullable String value) {
    if (text(value) != null) {
      throw new LockConfigurationException(
          "%1$s.uri and %1$s.%2$s are both set: keep one of them".formatted(prefix, name));
    }
  }

  private OwnConnection connection() {
    String named = text(properties.provider());
    if (named != null && !providers.contains(named)) {
      throw new LockProviderNotFoundException(
          "%s.provider is '%s'. Available: %s. Add the dependency dev.interlock:lock-%s, or correct it"
              .formatted(prefix, named, providers, named));
    }
    List<OwnConnection> found = new ArrayList<>();
    for (String provider : named == null ? providers : Set.of(named)) {
      found.addAll(find(provider, named != null));
    }
    if (found.size() == 1) {
      return found.get(0);
    }
    throw new LockConfigurationException(found.isEmpty() ? nothing(named) : several(found));
  }

  private List<OwnConnection> find(String provider, boolean named) {
    return switch (provider) {
      case DatabaseConnections.MYSQL, DatabaseConnections.POSTGRES ->
        DatabaseConnections.find(provider, named, beans);
      case RedisConnections.HASH, RedisConnections.SETNX, RedisConnections.WATCH ->
        RedisConnections.find(provider, beans);
      default -> List.of(); // it has no connections, or none that an application has
    };
  }

  private String nothing(@Nullable String named) {
    List<JedisWithoutPool> jedis = RedisConnections.withoutPool(beans);
    return "%s, and %s that %s can use%s. Available providers: %s"
        .formatted(
            properties.uri() == null ? prefix + ".uri is not set" : prefix + ".uri is empty",
            beans.only() == null
                ? "the application has no DataSource or Redis connection"
                : "%s.bean=%s is no connection".formatted(prefix, beans.only()),
            named == null ? "one of the providers" : "the provider '" + named + "'",
            jedis.isEmpty() ? "" : "; " + jedis.get(0).message("", prefix),
            providers);
  }

  private String several(List<OwnConnection> found) {
    boolean byProvider = found.stream().map(OwnConnection::provider).distinct().count() > 1;
    boolean byBean = found.stream().map(OwnConnection::bean).distinct().count() > 1;
    String properties = byProvider && byBean
        ? "%1$s.provider or %1$s.bean"
        : byProvider ? "%s.provider" : "%s.bean";
    return "%s.uri is not set, and several connections of the application fit: %s. Set %s, or %s.uri"
        .formatted(
            prefix,
            found.stream()
                .map(each -> "%s over the bean '%s'".formatted(each.provider(), each.bean()))
                .collect(Collectors.joining(", ")),
            properties.formatted(prefix),
            prefix);
  }

  private static @Nullable String text(@Nullable String written) {
    return StringUtils.hasText(written) ? written.trim() : null;
  }
}
