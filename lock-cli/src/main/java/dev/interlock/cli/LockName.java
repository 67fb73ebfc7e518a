package dev.interlock.cli;

import dev.interlock.LockRequest;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Refuses names that no lock can have. */
final class LockName implements ITypeConverter<String> {
  static final String LABEL = "NAME";
  static final String DESCRIPTION = "The lock. After --, if its name begins with a hyphen.";

  /** For picocli. */
  LockName() {}

  @Override
  public String convert(String value) {
    try {
      return LockRequest.of(value).name();
    } catch (IllegalArgumentException e) {
      throw new TypeConversionException(String.valueOf(e.getMessage()));
    }
  }
}
