package dev.interlock.compare.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** Where a command writes its report. */
public final class OutputDirectory {
  private OutputDirectory() {}

  /**
   * Makes the directory and finds out before the run whether it can be written.
   *
   * @param chosen by the user; null for one of the command's name under {@code target}
   * @throws ParameterException if it cannot be written
   */
  public static Path prepare(@Nullable Path chosen, CommandLine command) {
    Path home = Path.of(System.getProperty("interlock.home", ""));
    Path directory =
        chosen == null ? home.resolve("target").resolve(command.getCommandName()) : chosen;
    directory = directory.toAbsolutePath();
    try {
      Files.createDirectories(directory);
      Files.delete(Files.createTempFile(directory, "report", ".probe"));
      return directory;
    } catch (IOException e) {
      throw new ParameterException(
          command,
          "The report cannot be written to " + directory + ": " + e + ". Choose another"
              + " directory with --out.");
    }
  }
}
