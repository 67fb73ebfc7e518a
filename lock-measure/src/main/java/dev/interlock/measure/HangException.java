package dev.interlock.measure;

/** What is measured let threads wait for a lock that nobody held any more. */
public final class HangException extends MeasurementFailedException {
  private static final long serialVersionUID = 1L;

  private final String how;

  /**
   * Creates one.
   *
   * @param how how many threads waited, and for how long
   */
  public HangException(String how) {
    super(how, null);
    this.how = how;
  }

  /** How many threads waited, and for how long. */
  public String how() {
    return how;
  }
}
