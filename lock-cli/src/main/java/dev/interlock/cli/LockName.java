package dev.interlock.cli;

import dev.interlock.LockRequest;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Refuses names that no lock can have. */
final class LockName implements ITypeConverter<String> {
  static final String LABEL = "NAME";
  static final String DESCRIPTION = "The lock. After --, if its name begins with a hyphen.";

  /** What the JVM makes of a byte that its locale has no character for. */
  private static final char UNREADABLE = '\uFFFD';

  /** For picocli. */
  LockName() {}

  @Override
  public String convert(String value) {
    requireReadable(value);
    try {
      return LockRequest.of(value).name();
    } catch (IllegalArgumentException e) {
      throw new TypeConversionException(String.valueOf(e.getMessage()));
    }
  }

  private static void requireReadable(String value) {
    if (value.indexOf(UNREADABLE) >= 0) {
      throw new TypeConversionException(
          "the name could not be read as the terminal wrote it: set a UTF-8 locale, for example"
              + " LC_ALL=C.UTF-8");
    }
  }

  /** What names begin with: refused only if it was not read as it was meant, and none has it. */
  static final class Prefix implements ITypeConverter<String> {
    /** For picocli. */
    Prefix() {}

    @Override
    public String convert(String value) {
      requireReadable(value);
      return value;
    }
  }
}
