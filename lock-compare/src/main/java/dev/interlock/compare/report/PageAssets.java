package dev.interlock.compare.report;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Properties;

/** The styles and scripts that are written into the page, so that it needs no network. */
final class PageAssets {
  private static final String WEBJAR = "org.webjars.npm/chart.js";

  private PageAssets() {}

  static String style() {
    return read("page.css");
  }

  static String script() {
    return read("page.js");
  }

  /** Chart.js, under the MIT licence; its own notice stands at its beginning. */
  static String charts() {
    Properties properties = new Properties();
    try (InputStream in = open("/META-INF/maven/" + WEBJAR + "/pom.properties")) {
      properties.load(in);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    String version = properties.getProperty("version");
    String text =
        read("/META-INF/resources/webjars/chart.js/" + version + "/dist/chart.umd.min.js");
    // A browser's tools would ask for a file that is not there.
    return text.replaceFirst("(?m)^//# sourceMappingURL=.*$", "");
  }

  private static String read(String resource) {
    try (InputStream in = open(resource)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(resource + " cannot be read", e);
    }
  }

  private static InputStream open(String resource) {
    InputStream in = PageAssets.class.getResourceAsStream(resource);
    if (in == null) {
      throw new IllegalStateException(resource + " is missing on the class path");
    }
    return in;
  }
}
