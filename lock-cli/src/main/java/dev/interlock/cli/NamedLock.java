package dev.interlock.cli;

import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** The one lock that a command is about. */
final class NamedLock {
  @Mixin
  private final Target target = new Target();

  @Parameters(
      index = "1",
      paramLabel = LockName.LABEL,
      description = LockName.DESCRIPTION,
      converter = LockName.class)
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private String name;

  /** For picocli. */
  NamedLock() {}

  Target target() {
    return target;
  }

  String name() {
    return name;
  }

  /** For sentences. */
  String quoted() {
    return "'" + Printable.of(name) + "'";
  }
}
