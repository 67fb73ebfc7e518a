package dev.interlock.measure.server;

/** There is no server to measure on, or it refuses. */
public final class ServerUnavailableException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  ServerUnavailableException(String message, Throwable cause) {
    super(message, cause);
  }
}
