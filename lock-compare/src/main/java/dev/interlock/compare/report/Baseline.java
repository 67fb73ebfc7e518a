package dev.interlock.compare.report;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * An earlier {@code report.json}, as far as it is compared with.
 *
 * @param created when it was made
 * @param providers what it says of each
 */
public record Baseline(String created, List<Provider> providers) {

  /**
   * One provider.
   *
   * @param verdicts by rule
   * @param measures by key; those without a value are left out
   */
  record Provider(String id, Map<String, String> verdicts, Map<String, Double> measures) {}

  /**
   * Reads a report.
   *
   * @throws IOException if it cannot be read, or is something else
   */
  public static Baseline read(Path file) throws IOException {
    JsonNode root = SavedJson.read(file);
    List<Provider> providers = new ArrayList<>();
    for (JsonNode provider : root.path("providers").values()) {
      providers.add(provider(provider));
    }
    return new Baseline(root.path("created").asString("an unknown time"), providers);
  }

  private static Provider provider(JsonNode node) {
    Map<String, String> verdicts = new LinkedHashMap<>();
    for (JsonNode rule : node.path("rules").values()) {
      // In an older report the verdict is what was found, and the warning stands beside it.
      String verdict = rule.path("warning").asBoolean(false)
          ? ProviderReport.WARNING
          : rule.path("verdict").asString("");
      verdicts.put(rule.path("id").asString(""), verdict);
    }
    Map<String, Double> measures = new LinkedHashMap<>();
    node.path("measures").properties().forEach(measure -> {
      if (measure.getValue().isNumber()) {
        measures.put(measure.getKey(), measure.getValue().doubleValue());
      }
    });
    return new Provider(node.path("id").asString(""), verdicts, measures);
  }

  @Nullable
  Provider find(String id) {
    return providers.stream()
        .filter(provider -> provider.id().equals(id))
        .findFirst()
        .orElse(null);
  }
}
