package dev.interlock.measure;

import org.jspecify.annotations.Nullable;

/** What is measured threw, or let a thread wait without end, which {@link HangException} tells. */
public class MeasurementFailedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  MeasurementFailedException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
