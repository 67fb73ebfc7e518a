package dev.interlock.mysql;

import dev.interlock.BackendUnavailableException;
import dev.interlock.LockConfigurationException;
import dev.interlock.LockException;
import dev.interlock.OutcomeUnknownException;

/** Exceptions for the many callers of one turn: each gets its own, with its own stack. */
final class Copies {
  private Copies() {}

  static LockException of(LockException original) {
    String message = String.valueOf(original.getMessage());
    if (original instanceof OutcomeUnknownException) {
      return new OutcomeUnknownException(message, original);
    }
    if (original instanceof LockConfigurationException) {
      return new LockConfigurationException(message, original);
    }
    return new BackendUnavailableException(message, original);
  }
}
