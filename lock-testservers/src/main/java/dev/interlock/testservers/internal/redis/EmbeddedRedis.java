package dev.interlock.testservers.internal.redis;

import dev.interlock.testservers.TestServerException;
import dev.interlock.testservers.internal.control.Shell;
import dev.interlock.testservers.internal.source.SourceUnavailableException;
import java.io.IOException;
import java.io.InputStream;
import java.net.JarURLConnection;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;

/**
 * The server program for this system inside the artifact embedded-redis.
 *
 * <p>Only the artifact's resources are used; its classes would start the server without a guard.
 *
 * @param resource the program
 */
public record EmbeddedRedis(URL resource) {
  private static final String MARK =
      "META-INF/maven/com.github.codemonstur/embedded-redis/pom.properties";

  /** Finds the program by its name's end, since the name also has a version that changes. */
  public static EmbeddedRedis find(ClassLoader loader) throws SourceUnavailableException {
    URL mark = loader.getResource(MARK);
    if (mark == null) {
      throw new SourceUnavailableException("the artifact is not on the class path");
    }
    String system = system();
    Pattern name = Pattern.compile("redis-server-.+-" + Pattern.quote(system));
    try {
      if (mark.openConnection() instanceof JarURLConnection connection) {
        connection.setUseCaches(false);
        try (JarFile jar = connection.getJarFile()) {
          URL resource = jar.stream()
              .map(ZipEntry::getName)
              .filter(entry -> name.matcher(entry).matches())
              .findFirst()
              .map(loader::getResource)
              .orElse(null);
          if (resource != null) {
            return new EmbeddedRedis(resource);
          }
        }
      }
    } catch (IOException e) {
      throw new SourceUnavailableException("the artifact cannot be read: " + e.getMessage(), e);
    }
    throw new SourceUnavailableException("the artifact has no program for " + system);
  }

  private static String system() {
    String os = System.getProperty("os.name").toLowerCase(Locale.ROOT);
    String architecture = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
    return (os.startsWith("mac") ? "darwin" : os)
        + "-"
        + switch (architecture) {
          case "x86_64" -> "amd64";
          case "aarch64" -> "arm64";
          case "x86", "i386", "i686" -> "386";
          default -> architecture;
        };
  }

  /** Puts the program into a directory and returns its path. */
  public Path extractTo(Path directory) {
    Path written = directory.resolve("redis-server.part");
    Path program = directory.resolve("redis-server");
    try (InputStream in = resource.openStream()) {
      Files.copy(in, written);
    } catch (IOException e) {
      throw new TestServerException("redis-server cannot be written to " + directory + ".", e);
    }
    // A process that another thread forks meanwhile inherits the JVM's open file for a moment, and
    // a program that is open for writing cannot be run. So it is a copy that the JVM never opened.
    Shell.run(
        "/bin/sh",
        "-c",
        "cp \"$1\" \"$2\" && chmod 700 \"$2\" && rm \"$1\"",
        "extract",
        written.toString(),
        program.toString());
    return program;
  }
}
