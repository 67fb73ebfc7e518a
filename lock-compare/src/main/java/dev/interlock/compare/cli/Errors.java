package dev.interlock.compare.cli;

import dev.interlock.LockException;
import dev.interlock.testservers.TestServerException;
import java.util.concurrent.ExecutionException;

/** How errors are told to people: our own in their words, others with their type. */
public final class Errors {
  private Errors() {}

  public static String describe(Throwable error) {
    Throwable cause = error.getCause();
    if (cause != null && error instanceof ExecutionException) {
      return describe(cause);
    }
    String message = error.getMessage();
    boolean speaksForItself =
        error instanceof LockException || error instanceof TestServerException;
    return speaksForItself && message != null ? message : error.toString();
  }
}
