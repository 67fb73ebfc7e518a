package dev.interlock.measure.peers;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;

/** The versions of the measured libraries, as the build put them on the class path. */
public final class Versions {
  private static final Properties PROPERTIES = load();

  private Versions() {}

  /** Name and version, for a report. */
  public static String jedis() {
    return "Jedis " + of("jedis");
  }

  /** Name and version, for a report. */
  public static String redisson() {
    return "Redisson " + of("redisson");
  }

  /** Name and version, for a report. */
  public static String springIntegration() {
    return "Spring Integration " + of("spring-integration") + " (Lettuce " + of("lettuce") + ")";
  }

  /** Name and version, for a report. */
  public static String springIntegrationJdbc() {
    return "Spring Integration " + of("spring-integration-jdbc");
  }

  /** Name and version, for a report. */
  public static String shedLock() {
    return "ShedLock " + of("shedlock");
  }

  /** Name and version, for a report. */
  public static String connector() {
    return "Connector/J " + of("mysql-connector-j");
  }

  /** Name and version, for a report. */
  public static String pgjdbc() {
    return "pgjdbc " + of("postgresql");
  }

  /** The versions of all of them, by name. */
  public static Map<String, String> all() {
    Map<String, String> all = new TreeMap<>();
    PROPERTIES.stringPropertyNames().forEach(name -> all.put(name, of(name)));
    return all;
  }

  /** The version of one. */
  public static String of(String library) {
    return PROPERTIES.getProperty(library, "unknown");
  }

  private static Properties load() {
    Properties properties = new Properties();
    try (InputStream in = Versions.class.getResourceAsStream("versions.properties")) {
      if (in != null) {
        properties.load(in);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("the versions on the class path cannot be read", e);
    }
    return properties;
  }
}
