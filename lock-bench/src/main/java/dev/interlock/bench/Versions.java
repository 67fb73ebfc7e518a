package dev.interlock.bench;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;

/** The versions of the measured libraries, as the build put them on the class path. */
final class Versions {
  private static final Properties PROPERTIES = load();

  private Versions() {}

  static String jedis() {
    return "Jedis " + of("jedis");
  }

  static String redisson() {
    return "Redisson " + of("redisson");
  }

  static String springIntegration() {
    return "Spring Integration " + of("spring-integration") + " (Lettuce " + of("lettuce") + ")";
  }

  static String springIntegrationJdbc() {
    return "Spring Integration " + of("spring-integration-jdbc");
  }

  static String shedLock() {
    return "ShedLock " + of("shedlock");
  }

  static String connector() {
    return "Connector/J " + of("mysql-connector-j");
  }

  static Map<String, String> all() {
    Map<String, String> all = new TreeMap<>();
    PROPERTIES.stringPropertyNames().forEach(name -> all.put(name, of(name)));
    return all;
  }

  private static String of(String library) {
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
