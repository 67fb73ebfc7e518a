package dev.interlock.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/** Starts applications as Spring Boot does, with its auto-configuration. */
public final class Contexts {
  /** A thread for each task: the common pool has only one on two processors, and calls block. */
  static final Executor THREADS = task -> new Thread(task).start();

  private Contexts() {}

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration(
      excludeName = {
        "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
        "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration"
      })
  static class Plain {}

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration(
      excludeName = {
        "org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration",
        "org.springframework.boot.liquibase.autoconfigure.LiquibaseAutoConfiguration",
        "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration"
      })
  static class WithDataSource {}

  /** On locks that no other test has, in this JVM. */
  public static ConfigurableApplicationContext local(List<Class<?>> beans, String... properties) {
    List<String> all = new ArrayList<>(Arrays.asList(properties));
    all.add("interlock.uri=local://");
    all.add("interlock.namespace=" + namespace());
    return start(Plain.class, beans, all);
  }

  static ConfigurableApplicationContext start(
      Class<?> application, List<Class<?>> beans, List<String> properties) {
    return new SpringApplicationBuilder(application)
        .sources(beans.toArray(Class<?>[]::new))
        .web(WebApplicationType.NONE)
        .bannerMode(org.springframework.boot.Banner.Mode.OFF)
        .logStartupInfo(false)
        .properties(properties.toArray(String[]::new))
        .run();
  }

  /** What an application that must not start says to whoever started it. */
  static FailureAnalysis failure(ApplicationContextRunner wrong) {
    AtomicReference<FailureAnalysis> analysis = new AtomicReference<>();
    wrong.run(context -> {
      assertThat(context).hasFailed();
      analysis.set(new InterlockFailureAnalyzer().analyze(context.getStartupFailure()));
    });
    assertThat(analysis.get()).isNotNull();
    return analysis.get();
  }

  public static String namespace() {
    return "t" + UUID.randomUUID().toString().substring(0, 8);
  }
}
