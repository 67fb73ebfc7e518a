package dev.interlock.tck.internal.worker;

import dev.interlock.Locks;
import dev.interlock.ProviderInfo;
import java.io.File;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The class path for a worker JVM: all that this JVM has, be it on a class path or module path. */
final class ClassPath {
  private static final Pattern SEPARATOR = Pattern.compile(Pattern.quote(File.pathSeparator));

  private ClassPath() {}

  static String ofThisJvm() {
    Set<String> entries = new LinkedHashSet<>();
    addAll(entries, System.getProperty("java.class.path"));
    addModules(entries, System.getProperty("jdk.module.path"));
    addSource(entries, ClassPath.class);
    addSource(entries, Locks.class);
    for (ProviderInfo provider : Locks.providers()) {
      addLocation(entries, provider.location());
    }
    return String.join(File.pathSeparator, entries);
  }

  private static void addAll(Set<String> entries, @Nullable String path) {
    if (path != null) {
      SEPARATOR.splitAsStream(path).filter(entry -> !entry.isEmpty()).forEach(entries::add);
    }
  }

  /** A module path may name folders of jars; on a class path those need an asterisk. */
  private static void addModules(Set<String> entries, @Nullable String path) {
    if (path != null) {
      SEPARATOR
          .splitAsStream(path)
          .forEach(entry -> entries.add(
              Files.isDirectory(Path.of(entry))
                      && !Files.exists(Path.of(entry, "module-info.class"))
                  ? entry + File.separator + "*"
                  : entry));
    }
  }

  private static void addSource(Set<String> entries, Class<?> type) {
    CodeSource source = type.getProtectionDomain().getCodeSource();
    if (source != null && source.getLocation() != null) {
      addLocation(entries, source.getLocation().toString());
    }
  }

  private static void addLocation(Set<String> entries, String location) {
    try {
      Path path = location.startsWith("file:") ? Path.of(new URI(location)) : Path.of(location);
      if (Files.exists(path)) {
        entries.add(path.toString());
      }
    } catch (URISyntaxException | IllegalArgumentException e) {
      // Not a place in the file system: then it is on the class path already.
    }
  }
}
