package dev.interlock.testservers.internal.control;

import dev.interlock.testservers.TestServerException;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;

/**
 * A temporary directory that only the current user can read.
 *
 * @param path where it is
 */
public record PrivateDirectory(Path path) {
  private static final int TRIES = 5;

  public static PrivateDirectory create() {
    try {
      return new PrivateDirectory(Files.createTempDirectory("interlock-"));
    } catch (IOException e) {
      throw new TestServerException("No temporary directory can be created.", e);
    }
  }

  /** Deletes the directory with all that is in it; idempotent. */
  public void delete() {
    for (int tries = 1; ; tries++) {
      try {
        Files.walkFileTree(path, new Deletion());
        return;
      } catch (NoSuchFileException gone) {
        if (Files.notExists(path)) {
          return;
        }
      } catch (DirectoryNotEmptyException stillWritten) {
        // A child of a killed server, one that saves data for instance, may outlive it briefly.
        if (tries == TRIES) {
          throw new TestServerException(path + " fills up while it is deleted.", stillWritten);
        }
      } catch (IOException e) {
        throw new TestServerException(path + " cannot be deleted.", e);
      }
    }
  }

  private static final class Deletion extends SimpleFileVisitor<Path> {
    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
      Files.deleteIfExists(file);
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException failure)
        throws IOException {
      if (failure != null) {
        throw failure;
      }
      Files.deleteIfExists(directory);
      return FileVisitResult.CONTINUE;
    }
  }
}
