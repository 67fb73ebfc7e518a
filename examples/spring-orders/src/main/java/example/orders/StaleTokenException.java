package example.orders;

/** The write comes from a holder whose lock had run out, and was taken by another, before it. */
final class StaleTokenException extends RuntimeException {
  StaleTokenException(String message) {
    super(message);
  }
}
