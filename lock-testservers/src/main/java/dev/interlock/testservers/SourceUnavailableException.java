package dev.interlock.testservers;

/** One source has no server to offer, for the reason in the message; the next one is tried. */
final class SourceUnavailableException extends Exception {
  private static final long serialVersionUID = 1L;

  SourceUnavailableException(String reason) {
    super(reason);
  }

  SourceUnavailableException(String reason, Throwable cause) {
    super(reason, cause);
  }
}
