package dev.interlock.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.ConfigurableApplicationContext;

/** An application with the starter, a provider, and no other library that the starter can use. */
@Timeout(120)
class BareApplicationTest {
  private static final Pattern OPTIONAL = Pattern.compile(
      ".*/(spring-tx|spring-jdbc|spring-data|spring-integration|spring-messaging|spring-web"
          + "|spring-boot-(actuator|health|micrometer|jdbc|data|transaction|tomcat|web|persistence|sql|flyway|liquibase"
          + "|testcontainers)"
          + "|reactor-core|reactive-streams|micrometer|lettuce|jedis|postgresql|flyway|liquibase)[^/]*\\.jar");

  static class Work {
    @Locked("bare-#{#id}")
    public String work(int id) {
      return CurrentLease.get().name();
    }
  }

  /** What the test starts in a JVM of its own. */
  static final class Main {
    private Main() {}

    public static void main(String[] arguments) {
      try (ConfigurableApplicationContext context = Contexts.local(List.of(Work.class))) {
        String method = context.getBean(Work.class).work(7);
        String template =
            context.getBean(LockTemplate.class).execute("template", lease -> lease.name());
        System.out.println(method + " and " + template);
      }
    }
  }

  @Test
  void it_locks_without_any_optional_library() throws Exception {
    String all = System.getProperty("java.class.path");
    String bare = Arrays.stream(all.split(File.pathSeparator, -1))
        .filter(entry -> !OPTIONAL.matcher(entry).matches())
        .collect(Collectors.joining(File.pathSeparator));
    assertThat(all).contains("spring-tx");
    assertThat(bare).doesNotContain("spring-tx");
    Process process = new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            bare,
            Main.class.getName())
        .redirectErrorStream(true)
        .start();
    try {
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
      assertThat(output).contains("bare-7 and template");
    } finally {
      process.destroyForcibly();
    }
  }
}
