package dev.interlock.testservers.internal.database;

import dev.interlock.testservers.TestServerException;
import dev.interlock.testservers.internal.control.Shell;
import dev.interlock.testservers.internal.source.SourceUnavailableException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.tukaani.xz.XZInputStream;

/**
 * The server's programs for this system inside an artifact of zonky's embedded PostgreSQL.
 *
 * @param archive a compressed tar file in the artifact
 */
record EmbeddedPostgres(URL archive) {

  static EmbeddedPostgres find(ClassLoader loader) throws SourceUnavailableException {
    String name = "postgres-" + system() + "-" + architecture() + ".txz";
    URL archive = loader.getResource(name);
    if (archive == null) {
      throw new SourceUnavailableException("no artifact with " + name + " is on the class path");
    }
    return new EmbeddedPostgres(archive);
  }

  private static String system() {
    String os = System.getProperty("os.name").toLowerCase(Locale.ROOT);
    return os.startsWith("mac") ? "darwin" : os.replace(' ', '_');
  }

  private static String architecture() {
    String architecture = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
    return switch (architecture) {
      case "amd64" -> "x86_64";
      case "aarch64" -> "arm_64";
      default -> architecture;
    };
  }

  /** Puts the programs into a directory, and answers where in it they are. */
  Path extractTo(Path home) {
    Path base = home.resolve("postgres");
    Path tar = home.resolve("postgres.tar");
    try (InputStream packed = archive.openStream();
        InputStream in = new XZInputStream(packed)) {
      Files.createDirectory(base);
      Files.copy(in, tar);
    } catch (IOException e) {
      throw new TestServerException("PostgreSQL cannot be written to " + base + ".", e);
    }
    // By a program of its own: what the JVM has open for writing, a process that another thread
    // forks meanwhile inherits for a moment, and no program can be run that is open for writing.
    Shell.run("tar", "-xf", tar.toString(), "-C", base.toString(), "--no-same-owner");
    try {
      Files.delete(tar);
    } catch (IOException e) {
      throw new TestServerException(tar + " cannot be deleted.", e);
    }
    return base.resolve("bin");
  }
}
