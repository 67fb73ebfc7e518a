package dev.interlock.compare.facts;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * What happened to one provider in this run.
 *
 * @param happening what was done to it
 * @param words what was seen, or why nothing could be
 * @param figures the same for programs: by name, each with its unit; empty if nothing was seen
 * @param failed whether nothing could be seen because of a fault
 */
public record Fact(Happening happening, String words, Map<String, Double> figures, boolean failed) {

  public Fact {
    figures = Collections.unmodifiableMap(new TreeMap<>(figures));
  }

  static Fact seen(Happening happening, String words, Map<String, Double> figures) {
    return new Fact(happening, words, figures, false);
  }

  /** It cannot happen, or cannot be brought about. */
  static Fact none(Happening happening, String reason) {
    return new Fact(happening, "n/a: " + reason, Map.of(), false);
  }

  /** It could have been seen, but something went wrong. */
  public static Fact failed(Happening happening, String reason) {
    return new Fact(happening, "could not be measured: " + reason, Map.of(), true);
  }
}
