package dev.interlock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A typed setting of a provider: a constant with a name, a type, a parser, a default and a
 * sensitivity. Immutable; each refining method returns a copy. Two options are the same if they are
 * the same constant.
 *
 * @param <T> the type of its value
 */
public final class Option<T> {

  /** Where a URI carries an option. */
  public enum Part {
    /** {@code ?name=value}. */
    QUERY,
    /** {@code user@}. */
    USER,
    /** {@code :password@}. */
    PASSWORD,
    /** {@code host[:port][,host...]}. */
    HOSTS,
    /** {@code /path}, without its first slash. */
    PATH
  }

  private record Check<T>(Predicate<T> predicate, String rule) {}

  private final String name;
  private final Part part;
  private final Function<String, T> parser;
  private final @Nullable T defaultValue;
  private final boolean sensitive;
  private final boolean required;
  private final boolean repeatable;
  private final String description;
  private final List<Check<T>> checks;

  private Option(
      String name,
      Part part,
      Function<String, T> parser,
      @Nullable T defaultValue,
      boolean sensitive,
      boolean required,
      boolean repeatable,
      String description,
      List<Check<T>> checks) {
    this.name = name;
    this.part = part;
    this.parser = parser;
    this.defaultValue = defaultValue;
    this.sensitive = sensitive;
    this.required = required;
    this.repeatable = repeatable;
    this.description = description;
    this.checks = checks;
  }

  /**
   * Creates an option.
   *
   * @param name as it stands in a URI
   * @param parser throws {@link IllegalArgumentException} with a message that says what is expected
   * @param defaultValue null if there is none
   * @param <T> the type of the value
   * @return the option
   */
  public static <T> Option<T> of(
      String name, Function<String, T> parser, @Nullable T defaultValue) {
    return new Option<>(name, Part.QUERY, parser, defaultValue, false, false, false, "", List.of());
  }

  /**
   * Creates an option that is a text.
   *
   * @param name as it stands in a URI
   * @param defaultValue null if there is none
   * @return the option
   */
  public static Option<String> text(String name, @Nullable String defaultValue) {
    return of(name, Function.identity(), defaultValue);
  }

  /**
   * Creates an option that a URI may carry several times.
   *
   * @param name as it stands in a URI
   * @return the option, whose value has the texts in the order in which they are given
   */
  public static Option<List<String>> texts(String name) {
    return new Option<>(name, Part.QUERY, List::of, null, false, false, true, "", List.of());
  }

  /**
   * Creates an option that is a duration, written in ISO 8601 such as {@code PT30S}.
   *
   * @param name as it stands in a URI
   * @param defaultValue null if there is none
   * @return the option
   */
  public static Option<Duration> duration(String name, @Nullable Duration defaultValue) {
    return of(name, OptionText::parseDuration, defaultValue);
  }

  /**
   * Creates an option that is a whole number.
   *
   * @param name as it stands in a URI
   * @param defaultValue null if there is none
   * @return the option
   */
  public static Option<Integer> integer(String name, @Nullable Integer defaultValue) {
    return of(name, OptionText::parseInteger, defaultValue);
  }

  /**
   * Creates an option that is {@code true} or {@code false}.
   *
   * @param name as it stands in a URI
   * @param defaultValue the default
   * @return the option
   */
  public static Option<Boolean> bool(String name, boolean defaultValue) {
    return of(name, OptionText::parseBoolean, defaultValue);
  }

  /**
   * Creates an option that is one of an enum's constants, written in lower case with hyphens.
   *
   * @param name as it stands in a URI
   * @param type the enum
   * @param defaultValue null if there is none
   * @param <E> the enum
   * @return the option
   */
  public static <E extends Enum<E>> Option<E> choice(
      String name, Class<E> type, @Nullable E defaultValue) {
    return of(name, text -> OptionText.parseChoice(type, text), defaultValue);
  }

  /**
   * Creates the option for the hosts of a URI.
   *
   * @param defaultValue null if there is none
   * @return the option, named "hosts"
   */
  public static Option<List<HostPort>> hosts(@Nullable List<HostPort> defaultValue) {
    return of("hosts", OptionText::parseHosts, defaultValue).in(Part.HOSTS);
  }

  /**
   * Says where a URI carries it.
   *
   * @param part the part
   * @return the changed copy
   */
  public Option<T> in(Part part) {
    return new Option<>(
        name, part, parser, defaultValue, sensitive, required, repeatable, description, checks);
  }

  /**
   * Marks it as a secret, which is never printed.
   *
   * @return the changed copy
   */
  public Option<T> secret() {
    return new Option<>(
        name, part, parser, defaultValue, true, required, repeatable, description, checks);
  }

  /**
   * Marks it as one that must be given.
   *
   * @return the changed copy
   */
  public Option<T> mandatory() {
    return new Option<>(
        name, part, parser, defaultValue, sensitive, true, repeatable, description, checks);
  }

  /**
   * Describes it.
   *
   * @param text a phrase for the documentation
   * @return the changed copy
   */
  public Option<T> describedAs(String text) {
    return new Option<>(
        name, part, parser, defaultValue, sensitive, required, repeatable, text, checks);
  }

  /**
   * Adds a condition.
   *
   * @param predicate holds for every allowed value
   * @param rule completes the sentence "it must be ..."
   * @return the changed copy
   */
  public Option<T> that(Predicate<T> predicate, String rule) {
    List<Check<T>> more = new ArrayList<>(checks);
    more.add(new Check<>(predicate, rule));
    return new Option<>(
        name,
        part,
        parser,
        defaultValue,
        sensitive,
        required,
        repeatable,
        description,
        List.copyOf(more));
  }

  /**
   * Requires a text to match a pattern.
   *
   * @param pattern a regular expression for the whole text
   * @param rule says in words what is allowed
   * @return the changed copy
   */
  public Option<T> matching(String pattern, String rule) {
    return that(value -> value.toString().matches(pattern), rule);
  }

  /**
   * Sets the smallest value.
   *
   * @param least the smallest; of a type that is {@link Comparable}
   * @return the changed copy
   */
  public Option<T> atLeast(T least) {
    return that(value -> compare(value, least) >= 0, "at least " + least);
  }

  /**
   * Sets the largest value.
   *
   * @param most the largest; of a type that is {@link Comparable}
   * @return the changed copy
   */
  public Option<T> atMost(T most) {
    return that(value -> compare(value, most) <= 0, "at most " + most);
  }

  /**
   * Returns the name.
   *
   * @return as it stands in a URI
   */
  public String name() {
    return name;
  }

  /**
   * Returns where a URI carries it.
   *
   * @return the part
   */
  public Part part() {
    return part;
  }

  /**
   * Returns the default.
   *
   * @return empty if there is none
   */
  public Optional<T> defaultValue() {
    return Optional.ofNullable(defaultValue);
  }

  /**
   * Tells whether it is a secret.
   *
   * @return true if its value is never printed
   */
  public boolean isSensitive() {
    return sensitive;
  }

  /**
   * Tells whether it must be given.
   *
   * @return true if opening fails without it
   */
  public boolean isMandatory() {
    return required;
  }

  /**
   * Tells whether a URI may carry it several times.
   *
   * @return true for one that {@link #texts} made
   */
  public boolean isRepeatable() {
    return repeatable;
  }

  /**
   * Returns what it is for.
   *
   * @return a phrase
   */
  public String description() {
    return description;
  }

  /**
   * Reads a value.
   *
   * @param text as it stands in a URI, decoded
   * @return the value
   * @throws IllegalArgumentException if it is malformed or not allowed; the message quotes it
   *     unless it is a secret
   */
  public T parse(String text) {
    T value;
    try {
      value = parser.apply(text);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          sensitive ? name + " is malformed" : name + "=" + text + ": " + e.getMessage());
    }
    return check(value);
  }

  /**
   * Reads what a URI carries of it.
   *
   * @param texts at least one, decoded; one only unless {@link #isRepeatable()}
   * @return the value
   * @throws IllegalArgumentException as {@link #parse} does, or if there are too many
   */
  @SuppressWarnings("unchecked") // only an option of a list of texts is repeatable
  public T parseAll(List<String> texts) {
    if (repeatable) {
      return check((T) List.copyOf(texts));
    }
    if (texts.size() > 1) {
      throw new IllegalArgumentException("%s is given %d times".formatted(name, texts.size()));
    }
    return parse(texts.get(0));
  }

  /**
   * Checks a value.
   *
   * @param value the value
   * @return the same
   * @throws IllegalArgumentException if it is not allowed
   */
  public T check(T value) {
    Objects.requireNonNull(value, name);
    for (Check<T> check : checks) {
      if (!check.predicate().test(value)) {
        String found = sensitive ? name : name + "=" + value;
        throw new IllegalArgumentException(found + ": it must be " + check.rule());
      }
    }
    return value;
  }

  /** Returns the name. */
  @Override
  public String toString() {
    return name;
  }

  @SuppressWarnings("unchecked")
  private int compare(T left, T right) {
    return ((Comparable<T>) left).compareTo(right);
  }
}
