package example.orders;

/** There is no such order. */
final class UnknownOrderException extends RuntimeException {
  UnknownOrderException(String message) {
    super(message);
  }
}
