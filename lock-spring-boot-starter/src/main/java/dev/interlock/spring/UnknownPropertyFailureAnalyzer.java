package dev.interlock.spring;

import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.origin.Origin;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * Names the properties of the locks that do not exist. Comes before Spring Boot's own, which also
 * shows their values: a URI under a misspelt name may have a password in it.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class UnknownPropertyFailureAnalyzer
    extends AbstractFailureAnalyzer<UnboundConfigurationPropertiesException> {
  private static final ConfigurationPropertyName OURS = ConfigurationPropertyName.of("interlock");

  @Override
  protected @Nullable FailureAnalysis analyze(
      Throwable root, UnboundConfigurationPropertiesException cause) {
    Set<ConfigurationProperty> unknown = cause.getUnboundProperties();
    if (!unknown.stream().allMatch(property -> OURS.isAncestorOf(property.getName()))) {
      return null;
    }
    return new FailureAnalysis(
        unknown.stream()
            .map(UnknownPropertyFailureAnalyzer::named)
            .collect(Collectors.joining(", ", "Locks: there is no property ", "")),
        "Correct the name, or take the property away. Further options of a provider stand under"
            + " interlock.options, or in the URI.",
        cause);
  }

  private static String named(ConfigurationProperty property) {
    Origin origin = property.getOrigin();
    return property.getName() + (origin == null ? "" : " (from " + origin + ")");
  }
}
