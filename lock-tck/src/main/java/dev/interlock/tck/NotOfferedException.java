package dev.interlock.tck;

import java.io.Serial;

/**
 * A lock that the kit reaches through a {@link ClientSource} has no such operation. A rule that
 * needs it is reported {@link Verdict#NOT_CLAIMED}, with this message as the reason.
 */
public final class NotOfferedException extends UnsupportedOperationException {
  @Serial
  private static final long serialVersionUID = 1L;

  /**
   * Makes the exception.
   *
   * @param operation what there is not, for example "acquire for a named owner"
   */
  public NotOfferedException(String operation) {
    super("no such operation in this API: " + operation);
  }
}
