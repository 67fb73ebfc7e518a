package dev.interlock.cli;

import dev.interlock.LockConfigurationException;
import dev.interlock.spi.BackendContext;
import dev.interlock.spi.BackendEvents;
import dev.interlock.spi.ClientId;
import dev.interlock.spi.LockBackend;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.security.SecureRandom;
import java.util.HexFormat;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** The server that a command is about, and what all commands have in common. */
@Command(
    exitCodeListHeading = "%nExit status:%n",
    mixinStandardHelpOptions = true,
    versionProvider = Operators.Version.class,
    sortOptions = false)
final class Target {
  private static final String FROM_ENVIRONMENT = "-";
  private static final String VARIABLE = "INTERLOCK_URI";

  @Parameters(
      index = "0",
      paramLabel = "URI",
      description = "Where the locks are, as the application opens them, such as"
          + " redis-setnx://localhost:6379. With '-' it is read from the environment variable "
          + VARIABLE + ", so that a password shows in no list of processes.")
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private String uri;

  /** For picocli. */
  Target() {}

  /**
   * Opens the backend. There is no engine before it: an operator's client holds nothing and waits
   * for nothing.
   */
  LockBackend open() {
    LockBackend backend = BackendContext.of(client()).open(uri());
    backend.subscribe(BackendEvents.IGNORED);
    return backend;
  }

  private String uri() {
    if (!uri.equals(FROM_ENVIRONMENT)) {
      return uri;
    }
    String given = System.getenv(VARIABLE);
    if (given == null || given.isBlank()) {
      throw new LockConfigurationException("The URI is '-', but " + VARIABLE + " is not set");
    }
    return given;
  }

  private static ClientId client() {
    String id = HexFormat.of().toHexDigits(new SecureRandom().nextLong());
    return new ClientId(id, host() + ":" + ProcessHandle.current().pid());
  }

  private static String host() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "localhost";
    }
  }
}
