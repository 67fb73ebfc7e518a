package dev.interlock.compare.figures;

/** What is measured at several points, for the charts. */
public enum Curve {
  HAND_OFF(
      "handOffMicros",
      "Hand-off between two clients",
      "From release in one to the return of acquire in the other, by percentile. Lower is better."),
  SECTIONS(
      "sectionsPerSecond",
      "Throughput against waiters",
      "Acquire and release on one lock with an empty section. Higher is better."),
  RECOVERY(
      "recoveryMillis",
      "Recovery after kill -9 of the holder",
      "From the end of the dead holder's lease to the next hold, round by round. Lower is better.");

  private final String key;
  private final String title;
  private final String hint;

  Curve(String key, String title, String hint) {
    this.key = key;
    this.title = title;
    this.hint = hint;
  }

  /** The name in report.json. */
  public String key() {
    return key;
  }

  public String title() {
    return title;
  }

  public String hint() {
    return hint;
  }
}
