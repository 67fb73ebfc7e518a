package dev.interlock.spring.internal.annotation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.TypeReference;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.util.ClassUtils;
import redis.clients.jedis.JedisPool;

/** What a native image is told of the starter itself. */
class LockHintsTest {
  private static final Pattern CLASS_NAME = Pattern.compile("\"((?:[a-z]\\w*\\.)+[A-Z][\\w$]*)\"");

  /** Those of conditions and of the order of configurations are asked for before. */
  private static final Pattern ANNOTATION = Pattern.compile("@\\w+\\([^()]*\\)");

  @Test
  void an_image_knows_all_types_that_the_starter_looks_for() throws IOException {
    ClassLoader loader = LockHintsTest.class.getClassLoader();
    RuntimeHints hints = new RuntimeHints();
    new LockHints().registerHints(hints, loader);
    Set<String> names = new TreeSet<>();
    try (Stream<Path> files = Files.walk(Path.of("src/main/java"))) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        String code = ANNOTATION.matcher(Files.readString(file)).replaceAll("");
        CLASS_NAME.matcher(code).results().forEach(found -> names.add(found.group(1)));
      }
    }
    names.removeIf(name -> !ClassUtils.isPresent(name, loader));
    assertThat(names)
        .hasSizeGreaterThan(20)
        .contains(
            TransactionSynchronization.class.getName(),
            DelegatingDataSource.class.getName(),
            JedisPool.class.getName())
        .allMatch(name ->
            RuntimeHintsPredicates.reflection().onType(TypeReference.of(name)).test(hints));
  }

  @Test
  void an_image_without_these_libraries_is_built_too() {
    new LockHints().registerHints(new RuntimeHints(), ClassLoader.getPlatformClassLoader());
  }
}
