package dev.interlock.testservers.internal.source;

/** One source has no server to offer, for the reason in the message; the next one is tried. */
public final class SourceUnavailableException extends Exception {
  private static final long serialVersionUID = 1L;

  public SourceUnavailableException(String reason) {
    super(reason);
  }

  public SourceUnavailableException(String reason, Throwable cause) {
    super(reason, cause);
  }
}
