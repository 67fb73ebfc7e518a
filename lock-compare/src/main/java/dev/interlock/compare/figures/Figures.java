package dev.interlock.compare.figures;

import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What was measured of one provider. Not thread-safe. */
public final class Figures {

  /**
   * One figure.
   *
   * @param value null if there is none
   * @param note why there is none, or what else to know
   * @param missing why there is no value; null if there is one
   */
  public record Figure(
      @Nullable Double value, String note, @Nullable Missing missing) {
    /** Whether the value is missing because of a fault. */
    public boolean failed() {
      return missing == Missing.FAILED;
    }

    /** Whether the value is missing because threads waited without end. */
    public boolean hangs() {
      return missing == Missing.HANGS;
    }
  }

  /** Why a figure has no value. */
  public enum Missing {
    /** There is nothing to measure. */
    NOTHING("n/a"),
    /** It could not be measured. */
    FAILED("failed"),
    /** Another library's lock let threads wait without end. That is what it does, and no fault. */
    HANGS("hangs");

    private final String text;

    Missing(String text) {
      this.text = text;
    }
  }

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
    figures.put(measure, new Figure(value, "", null));
  }

  public void put(Measure measure, double value, String note) {
    figures.put(measure, new Figure(value, note, null));
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
      figures.put(measure, new Figure(null, reason, Missing.NOTHING));
    }
  }

  /** Says that another library's lock hung while a measure was taken, and how. */
  public void hangs(String how, Measure measure) {
    figures.put(measure, new Figure(null, how, Missing.HANGS));
  }

  /** Says why a measure could not be taken. What was measured before stays. */
  public void failed(String reason, Iterable<Measure> measures) {
    for (Measure measure : measures) {
      figures.putIfAbsent(measure, new Figure(null, reason, Missing.FAILED));
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
    return value == null ? Objects.requireNonNull(figure.missing()).text : text(measure, value);
  }

  public static String text(Measure measure, double value) {
    return String.format(Locale.ROOT, "%,." + measure.decimals() + "f", value);
  }
}
