package dev.interlock.bench;

import org.jspecify.annotations.Nullable;

/** A subject that cannot be measured: it threw, or it let a thread wait without end. */
final class SubjectFailedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  SubjectFailedException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
