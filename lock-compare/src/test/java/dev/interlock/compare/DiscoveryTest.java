package dev.interlock.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.LockClient;
import dev.interlock.LockConfigurationException;
import dev.interlock.LockProviderNotFoundException;
import dev.interlock.Locks;
import dev.interlock.ProviderInfo;
import dev.interlock.spi.LockProvider;
import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How providers are found: here, and in JVMs of their own on the class path and module path. */
class DiscoveryTest {
  @TempDir
  private Path directory;

  private ClassLoader before;

  @BeforeEach
  void rememberLoader() {
    before = Thread.currentThread().getContextClassLoader();
  }

  @AfterEach
  void restoreLoader() {
    Thread.currentThread().setContextClassLoader(before);
  }

  @Test
  void two_providers_with_one_id_are_both_named_and_neither_is_taken() throws IOException {
    declare(PlantedProviders.FirstTwin.class, PlantedProviders.SecondTwin.class);

    assertThatThrownBy(() -> Locks.open("twin://"))
        .isInstanceOf(LockConfigurationException.class)
        .hasMessageContaining("2 providers have the id 'twin'")
        .hasMessageContaining(PlantedProviders.FirstTwin.class.getName())
        .hasMessageContaining(PlantedProviders.SecondTwin.class.getName());
  }

  @Test
  void a_provider_that_fails_to_load_is_named_and_the_others_go_on() throws Exception {
    declare(PlantedProviders.Unloadable.class);

    try (LockClient client = Locks.open("local://")) {
      assertThat(client.inspect("anything")).isEmpty();
    }
    assertThat(Locks.providers().stream().map(ProviderInfo::id)).contains("local");
    assertThatThrownBy(() -> Locks.open("unloadable://"))
        .isInstanceOf(LockProviderNotFoundException.class)
        .hasMessageContaining("Failed to load")
        .hasMessageContaining(PlantedProviders.Unloadable.class.getName());
  }

  @Test
  void a_provider_is_found_on_the_class_path() throws Exception {
    String path = String.join(File.pathSeparator, place("local"), place("api"));
    Path classes = compileProbe(List.of("-cp", path), false);

    assertThat(run("-cp", path + File.pathSeparator + classes, "probe.Probe"))
        .contains("unnamed module")
        .contains("token true");
  }

  @Test
  void a_provider_is_found_on_the_module_path_by_a_named_module() throws Exception {
    String path = String.join(File.pathSeparator, place("local"), place("api"));
    // Only to compile: at run time nothing needs the annotations.
    String annotations = File.pathSeparator + jar("jspecify");
    Path classes = compileProbe(List.of("-p", path + annotations), true);

    assertThat(run("-p", path + File.pathSeparator + classes, "-m", "probe/probe.Probe"))
        .contains("module dev.interlock.api")
        .contains("token true");
  }

  private void declare(Class<?>... providers) throws IOException {
    Path services = Files.createDirectories(directory.resolve("META-INF/services"));
    Files.write(
        services.resolve(LockProvider.class.getName()),
        Arrays.stream(providers).map(Class::getName).toList());
    URL[] urls = {directory.toUri().toURL()};
    Thread.currentThread().setContextClassLoader(new URLClassLoader(urls, before));
  }

  private Path compileProbe(List<String> options, boolean asModule) throws IOException {
    Path source = Files.writeString(directory.resolve("Probe.java"), """
            package probe;
            import dev.interlock.*;
            public class Probe {
              public static void main(String[] args) throws Exception {
                try (LockClient client = Locks.open("local://");
                    Lease lease = client.acquire(LockRequest.of("probe"))) {
                  System.out.println(Locks.class.getModule());
                  System.out.println("token " + (lease.fencingToken() > 0));
                }
              }
            }
            """);
    Path module = Files.writeString(
        directory.resolve("module-info.java"), "module probe { requires dev.interlock.api; }");
    Path classes = directory.resolve("classes");
    Stream<String> sources = Stream.of(source, module).map(Path::toString).limit(asModule ? 2 : 1);
    String[] arguments = Stream.of(Stream.of("-d", classes.toString()), options.stream(), sources)
        .flatMap(part -> part)
        .toArray(String[]::new);
    ToolProvider javac = ToolProvider.findFirst("javac").orElseThrow();
    assertThat(javac.run(System.out, System.err, arguments)).isZero();
    return classes;
  }

  private String run(String... arguments) throws Exception {
    Path output = directory.resolve("output");
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    Process process = new ProcessBuilder(
            Stream.concat(Stream.of(java), Arrays.stream(arguments)).toList())
        .redirectErrorStream(true)
        .redirectOutput(output.toFile())
        .start();
    boolean ended = process.waitFor(60, TimeUnit.SECONDS);
    process.destroyForcibly();
    String text = Files.readString(output);
    assertThat(ended && process.exitValue() == 0).as(text).isTrue();
    return text;
  }

  /** Where a module's classes are: its jar, or its directory in a build that makes no jars. */
  private static String place(String module) {
    return entries()
        .filter(
            entry -> entry.matches(".*lock-" + module + "([/\\\\]target[/\\\\].*|-[\\d.]+\\.jar)"))
        .findFirst()
        .orElseThrow();
  }

  private static String jar(String name) {
    return entries().filter(entry -> entry.contains(name)).findFirst().orElseThrow();
  }

  private static Stream<String> entries() {
    String path =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    return Arrays.stream(path.split(File.pathSeparator, -1));
  }
}
