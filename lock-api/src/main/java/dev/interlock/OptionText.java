package dev.interlock;

import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.stream.Collectors;

/**
 * How the values of options are written in a URI. Each of the parsers throws
 * {@link IllegalArgumentException} with what it expected.
 */
final class OptionText {
  private OptionText() {}

  static Duration parseDuration(String text) {
    try {
      return Duration.parse(text);
    } catch (DateTimeParseException e) {
      throw new IllegalArgumentException("expected an ISO 8601 duration such as PT30S", e);
    }
  }

  static Integer parseInteger(String text) {
    try {
      return Integer.valueOf(text);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("expected a whole number", e);
    }
  }

  static Boolean parseBoolean(String text) {
    return switch (text) {
      case "true" -> true;
      case "false" -> false;
      default -> throw new IllegalArgumentException("expected true or false");
    };
  }

  static <E extends Enum<E>> E parseChoice(Class<E> type, String text) {
    E[] constants = type.getEnumConstants();
    for (E constant : constants) {
      if (written(constant).equals(text)) {
        return constant;
      }
    }
    throw new IllegalArgumentException("expected one of "
        + Arrays.stream(constants).map(OptionText::written).collect(Collectors.joining(", ")));
  }

  private static String written(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  static List<HostPort> parseHosts(String text) {
    return Arrays.stream(text.split(",", -1)).map(OptionText::parseHost).toList();
  }

  private static HostPort parseHost(String text) {
    int bracket = text.lastIndexOf(']');
    int colon = text.indexOf(':', Math.max(bracket, 0));
    String host = colon < 0 ? text : text.substring(0, colon);
    if (host.startsWith("[") && host.endsWith("]")) {
      host = host.substring(1, host.length() - 1);
    }
    if (colon < 0) {
      return new HostPort(host, OptionalInt.empty());
    }
    return HostPort.of(host, parseInteger(text.substring(colon + 1)));
  }
}
