package dev.interlock.compare.docs;

import static dev.interlock.compare.docs.Project.ROOT;
import static dev.interlock.compare.docs.Project.find;
import static dev.interlock.compare.docs.Project.read;
import static dev.interlock.compare.docs.Project.stripped;
import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.LockConfig;
import dev.interlock.LockConfigurationException;
import dev.interlock.Option;
import dev.interlock.compare.Cli;
import dev.interlock.spi.LockProvider;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What can be checked about the pages: links, samples, commands, options. */
class DocumentationTest {
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
  private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.+)$");
  private static final Pattern ANCHOR = Pattern.compile("<a id=\"([^\"]+)\">");
  private static final Pattern JAVA = Pattern.compile("(?ms)^```java\\n(.*?)^```");
  private static final Pattern CODE = Pattern.compile("(?ms)^```.*?^```");
  private static final Pattern COMMAND = Pattern.compile("\\./interlock ([a-z]+)");

  private static final Pattern PROPERTY = Pattern.compile("(?<!\\w)-D([a-z][a-zA-Z.-]*[a-zA-Z])");

  /** Those that no file of the project names. */
  private static final Set<String> OF_MAVEN = Set.of(
      "test",
      "groups",
      "surefire.failIfNoSpecifiedTests",
      "maven.test.skip",
      "maven.repo.local",
      "artifact",
      "outputDirectory");

  /** In Kotlin, as an argument of Maven, and in XML. */
  private static final Pattern ARTIFACT =
      Pattern.compile("dev\\.interlock(?::|</groupId>\\s*<artifactId>)(lock-[a-z-]+)"
          + "(?:(?::|</artifactId>\\s*<version>)([0-9][0-9.]*))?");

  private static final Pattern JUNIT =
      Pattern.compile("org\\.junit\\.jupiter:junit-jupiter:([0-9.]+)");

  /** Of a provider of ours, as a whole: in backticks, in quotes, or a line of a block. */
  private static final Pattern URI = Pattern.compile(
      "(?m)(?:[`\"' =]|^)((?:local|redis-setnx|redis-watch|redis-hash|mysql|postgres|quorum)://[^\\s`\"'<>]*)");

  /** Which page says what a provider's options are. */
  private static final Map<String, String> PAGES = Map.of(
      "redis-setnx", "docs/redis.md",
      "redis-watch", "docs/redis.md",
      "redis-hash", "docs/redis.md",
      "mysql", "docs/mysql.md",
      "postgres", "docs/postgres.md",
      "quorum", "docs/quorum.md",
      "local", "docs/getting-started.md");

  /** Options that a URI gives by its form, as its pages show. */
  private static final Set<String> PARTS_OF_THE_URI =
      Set.of("hosts", "user", "password", "database");

  @Test
  void every_link_within_the_project_leads_somewhere() {
    List<String> broken = new ArrayList<>();
    for (Path page : pages()) {
      for (Matcher link = LINK.matcher(CODE.matcher(read(page)).replaceAll("")); link.find(); ) {
        String[] target = link.group(1).split("#", 2);
        if (link.group(1).contains("://")) {
          continue;
        }
        Path file = target[0].isEmpty() ? page : page.resolveSibling(target[0]).normalize();
        if (!Files.exists(file)
            || (target.length == 2 && !anchors(read(file)).contains(target[1]))) {
          broken.add(ROOT.relativize(page) + " -> " + link.group(1));
        }
      }
    }
    assertThat(broken).isEmpty();
  }

  @Test
  void every_sample_is_part_of_a_class_that_compiles() {
    String samples =
        String.join("\n", javaFiles().stream().map(file -> stripped(read(file))).toList());
    List<String> strays = new ArrayList<>();
    int seen = 0;
    for (Path page : pages()) {
      for (Matcher block = JAVA.matcher(read(page)); block.find(); seen++) {
        // .ci/documented.sh runs whole programs.
        if (!block.group(1).contains("void main(") && !samples.contains(stripped(block.group(1)))) {
          strays.add(ROOT.relativize(page) + ":\n" + block.group(1));
        }
      }
    }
    assertThat(strays).isEmpty();
    assertThat(seen).isPositive();
  }

  @Test
  void every_command_exists() {
    String help = Cli.run("help").out();
    TreeSet<String> unknown = new TreeSet<>();
    for (Path page : pages()) {
      for (Matcher command = COMMAND.matcher(read(page)); command.find(); ) {
        if (!Pattern.compile("(?m)^ +" + command.group(1) + "\\b").matcher(help).find()) {
          unknown.add(command.group(1));
        }
      }
    }
    assertThat(unknown).isEmpty();
  }

  @Test
  void every_property_for_a_build_or_a_test_exists() {
    String known = Stream.of(".java", "pom.xml")
        .flatMap(ending -> find(ending).stream())
        .map(Project::read)
        .collect(Collectors.joining("\n"));
    TreeSet<String> unknown = new TreeSet<>();
    for (Path page : pages()) {
      for (Matcher property = PROPERTY.matcher(read(page)); property.find(); ) {
        String name = property.group(1);
        if (!OF_MAVEN.contains(name) && !known.contains(name)) {
          unknown.add(name);
        }
      }
    }
    assertThat(unknown).isEmpty();
  }

  @Test
  void every_artifact_is_published_in_this_version() {
    String parent = read(ROOT.resolve("pom.xml"));
    List<String> wrong = new ArrayList<>();
    int seen = 0;
    for (Path page : pages()) {
      for (Matcher artifact = ARTIFACT.matcher(read(page)); artifact.find(); seen++) {
        Path pom = ROOT.resolve(artifact.group(1)).resolve("pom.xml");
        boolean published =
            Files.exists(pom) && !read(pom).contains("<maven.deploy.skip>true</maven.deploy.skip>");
        String version = artifact.group(2);
        if (!published
            || (version != null && !parent.contains("<version>" + version + "</version>"))) {
          wrong.add(ROOT.relativize(page) + ": " + artifact.group());
        }
      }
      for (Matcher junit = JUNIT.matcher(read(page)); junit.find(); ) {
        if (!parent.contains("<junit.version>" + junit.group(1) + "<")) {
          wrong.add(ROOT.relativize(page) + ": " + junit.group());
        }
      }
    }
    assertThat(wrong).isEmpty();
    assertThat(seen).isGreaterThan(8);
  }

  @Test
  void every_option_of_a_provider_is_on_its_page() {
    List<String> missing = new ArrayList<>();
    for (LockProvider provider : ServiceLoader.load(LockProvider.class)) {
      String page = PAGES.get(provider.id());
      assertThat(page).as(provider.id()).isNotNull();
      String text = read(ROOT.resolve(page));
      for (Option<?> option : provider.options()) {
        if (!PARTS_OF_THE_URI.contains(option.name())
            && !text.contains("`" + option.name() + "`")) {
          missing.add(provider.id() + ": " + option.name());
        }
      }
    }
    assertThat(missing).isEmpty();
  }

  @Test
  void every_uri_is_accepted() {
    List<String> refused = new ArrayList<>();
    int seen = 0;
    for (Path page : pages()) {
      for (String uri : uris(read(page)).toList()) {
        try {
          LockConfig.parse(uri);
        } catch (LockConfigurationException e) {
          refused.add(ROOT.relativize(page) + ": " + e.getMessage());
        }
        seen++;
      }
    }
    assertThat(refused).isEmpty();
    assertThat(seen).isGreaterThan(20);
  }

  @Test
  void the_table_has_the_capabilities_of_each_provider() {
    String page = read(ROOT.resolve("docs/concepts.md"));
    Map<String, String> uris = uris(read(ROOT.resolve("README.md")))
        .collect(
            Collectors.toMap(uri -> uri.replaceFirst(":.*", ""), uri -> uri, (one, other) -> one));
    for (LockProvider provider : ServiceLoader.load(LockProvider.class)) {
      Matcher row =
          Pattern.compile("(?m)^\\| `" + provider.id() + "` \\|.*\\| (.*) \\|$").matcher(page);
      assertThat(row.find()).as(provider.id()).isTrue();
      // A quorum has those of its members.
      if (!provider.id().equals("quorum")) {
        assertThat(row.group(1).split(" "))
            .containsExactlyInAnyOrderElementsOf(
                provider.capabilities(LockConfig.parse(uris.get(provider.id()))).stream()
                    .map(Enum::name)
                    .toList());
      }
    }
  }

  /** What stands for a number in them is filled in. */
  private static Stream<String> uris(String page) {
    return URI.matcher(page)
        .results()
        .map(uri -> uri.group(1).replace(":port", ":1").replaceFirst("/db$", "/0"))
        .filter(uri -> !uri.contains("..."));
  }

  private static List<Path> pages() {
    return find(".md");
  }

  private static List<Path> javaFiles() {
    return find("Samples.java");
  }

  /** The anchors that a page has at its usual readers: of its headings, and its own. */
  private static List<String> anchors(String page) {
    List<String> anchors = new ArrayList<>();
    for (Matcher heading = HEADING.matcher(CODE.matcher(page).replaceAll("")); heading.find(); ) {
      anchors.add(heading
          .group(1)
          .toLowerCase(Locale.ROOT)
          .replaceAll("[^\\p{L}\\p{N} _-]", "")
          .replace(' ', '-'));
    }
    for (Matcher own = ANCHOR.matcher(page); own.find(); ) {
      anchors.add(own.group(1));
    }
    return anchors;
  }
}
