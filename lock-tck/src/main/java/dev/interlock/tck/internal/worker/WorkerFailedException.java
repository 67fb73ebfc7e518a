package dev.interlock.tck.internal.worker;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/** A worker JVM could not be started, died, or does not answer. */
public final class WorkerFailedException extends RuntimeException {
  @Serial
  private static final long serialVersionUID = 1L;

  WorkerFailedException(String message) {
    super(message);
  }

  WorkerFailedException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
