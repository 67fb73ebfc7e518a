package dev.interlock.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.json.JsonParserFactory;
import org.yaml.snakeyaml.Yaml;

/** The settings on the pages: the starter's properties, and files in YAML. */
class PagesTest {
  private static final Path ROOT = Path.of("..");

  private static final String SPRING = "docs/spring.md";

  /** In a file of properties, as an argument, or alone; {@code -D} is for the build. */
  private static final Pattern SET = Pattern.compile("(?m)(?:^|[`(]|--)(interlock\\.[\\w.<>*-]+)=");

  private static final Pattern NAMED = Pattern.compile("`(interlock\\.[\\w.<>*-]+)`");
  private static final Pattern OF_A_CLIENT =
      Pattern.compile("interlock\\.clients\\.[^.]+(?:\\.(.+))?");
  private static final Pattern YAML = Pattern.compile("(?ms)^```yaml\\n(.*?)^```");

  @Test
  void thePagesHavePropertiesThatThereAre() throws IOException {
    Set<String> known = properties();
    TreeSet<String> onPages = new TreeSet<>();
    for (String page : pages()) {
      SET.matcher(page).results().forEach(found -> onPages.add(found.group(1)));
    }
    NAMED
        .matcher(read(ROOT.resolve(SPRING)))
        .results()
        .forEach(found -> onPages.add(found.group(1)));

    assertThat(onPages).contains("interlock.uri", "interlock.clients.orders.lease");
    assertThat(onPages).allMatch(name -> isKnown(name, known));
  }

  @Test
  void everyPropertyIsOnThePage() throws IOException {
    assertThat(properties()).isNotEmpty().allMatch(name -> isOn(read(ROOT.resolve(SPRING)), name));
  }

  @Test
  void everyFileInYamlCanBeRead() {
    List<String> files = pages().stream()
        .flatMap(page -> YAML.matcher(page).results().map(block -> block.group(1)))
        .toList();
    assertThat(files).isNotEmpty();
    for (String file : files) {
      Map<?, ?> settings = new Yaml().load(file);
      assertThat(settings).isNotEmpty();
    }
  }

  private static boolean isOn(String page, String name) {
    return page.contains("`" + name + "`") || page.contains("`" + name + ".");
  }

  private static boolean isKnown(String name, Set<String> known) {
    var ofClient = OF_A_CLIENT.matcher(name);
    if (ofClient.matches()) {
      String property = ofClient.group(1);
      return property == null || property.equals("*") || isKnown("interlock." + property, known);
    }
    return known.contains(name) || name.startsWith("interlock.options.");
  }

  private Set<String> properties() throws IOException {
    TreeSet<String> names = new TreeSet<>();
    for (URL file : Collections.list(
        getClass().getClassLoader().getResources("META-INF/spring-configuration-metadata.json"))) {
      String json = new String(file.openStream().readAllBytes(), StandardCharsets.UTF_8);
      List<?> all = (List<?>) JsonParserFactory.getJsonParser().parseMap(json).get("properties");
      all.stream()
          .map(property -> String.valueOf(((Map<?, ?>) property).get("name")))
          .filter(name -> name.startsWith("interlock."))
          .forEach(names::add);
    }
    return names;
  }

  private static List<String> pages() {
    try (Stream<Path> files = Files.walk(ROOT, 3)) {
      return files
          .filter(file -> file.toString().endsWith(".md") && !file.toString().contains("/target/"))
          .map(PagesTest::read)
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
