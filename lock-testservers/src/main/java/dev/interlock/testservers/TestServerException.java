package dev.interlock.testservers;

/** A test server could not be had, did not obey, or answered a command with an error. */
public sealed class TestServerException extends RuntimeException permits NoTestServerException {
  private static final long serialVersionUID = 1L;

  public TestServerException(String message) {
    super(message);
  }

  public TestServerException(String message, Throwable cause) {
    super(message, cause);
  }
}
