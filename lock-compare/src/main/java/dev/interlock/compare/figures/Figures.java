package dev.interlock.compare.figures;

import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What was measured of one provider. Not thread-safe. */
public final class Figures {

  /**
   * One figure.
   *
   * @param value null if there is none
   * @param note why there is none, or what else to know
   * @param failed whether the value is missing because of a fault
   */
  public record Figure(@Nullable Double value, String note, boolean failed) {}

  /**
   * A point of a curve.
   *
   * @param at where, for people
   * @param value what was measured there
   */
  public record Point(String at, double value) {}

  private final Map<Curve, List<Point>> curves = new EnumMap<>(Curve.class);
  private final Map<Measure, Figure> figures = new EnumMap<>(Measure.class);

  public void put(Measure measure, double value) {
    figures.put(measure, new Figure(value, "", false));
  }

  public void put(Measure measure, double value, String note) {
    figures.put(measure, new Figure(value, note, false));
  }

  public void put(Curve curve, List<Point> points) {
    curves.put(curve, List.copyOf(points));
  }

  /** The points of a curve; none if it was not measured. */
  public List<Point> curve(Curve curve) {
    return curves.getOrDefault(curve, List.of());
  }

  /** Says why a measure has no meaning here. */
  public void none(String reason, Measure... measures) {
    for (Measure measure : measures) {
      figures.put(measure, new Figure(null, reason, false));
    }
  }

  /** Says why a measure could not be taken. What was measured before stays. */
  public void failed(String reason, Iterable<Measure> measures) {
    for (Measure measure : measures) {
      figures.putIfAbsent(measure, new Figure(null, reason, true));
    }
  }

  public boolean isEmpty() {
    return figures.isEmpty();
  }

  public boolean anyFailed() {
    return figures.values().stream().anyMatch(Figure::failed);
  }

  public Optional<Figure> find(Measure measure) {
    return Optional.ofNullable(figures.get(measure));
  }

  /** For tables. */
  public String text(Measure measure) {
    Figure figure = figures.get(measure);
    if (figure == null) {
      return "";
    }
    Double value = figure.value();
    if (value == null) {
      return figure.failed() ? "failed" : "n/a";
    }
    return text(measure, value);
  }

  public static String text(Measure measure, double value) {
    return String.format(Locale.ROOT, "%,." + measure.decimals() + "f", value);
  }
}
