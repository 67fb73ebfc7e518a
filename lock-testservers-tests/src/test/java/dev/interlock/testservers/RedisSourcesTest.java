package dev.interlock.testservers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.testservers.internal.control.FreePorts;
import dev.interlock.testservers.internal.redis.EmbeddedRedis;
import dev.interlock.testservers.internal.source.Surroundings;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Which source is taken, with every part of the surroundings under the test's control. */
@Timeout(60)
class RedisSourcesTest {
  private static final ClassLoader WITH_ARTIFACT = RedisSourcesTest.class.getClassLoader();
  private static final ClassLoader WITHOUT_ARTIFACT =
      new URLClassLoader(new URL[0], ClassLoader.getPlatformClassLoader());

  @TempDir
  Path directory;

  @Test
  void a_given_uri_comes_first_and_is_used_as_it_is() {
    try (RedisServer started = embedded().password("s3cret").start();
        RedisServer given = builder(started.uri() + "/3", "", WITH_ARTIFACT).start()) {
      given.command("SET", "k", "v");

      assertThat(given.source()).isEqualTo("given URI " + started.version());
      assertThat(given.uri()).isEqualTo(started.uri() + "/3");
      assertThat(given).asString().doesNotContain("s3cret");
      assertThat(started.command("GET", "k")).isEqualTo("(nil)");
      given.close();
      assertThat(started.command("INFO", "keyspace")).contains("db3:keys=1");
    }
  }

  @Test
  void a_given_server_is_never_stopped() {
    try (RedisServer started = embedded().start();
        RedisServer given = builder(started.uri(), "", WITH_ARTIFACT).start()) {
      assertThat(given.isControllable()).isFalse();
      List<Consumer<RedisServer>> changes = List.of(
          RedisServer::start,
          RedisServer::stop,
          RedisServer::restart,
          RedisServer::pause,
          RedisServer::resume,
          RedisServer::kill);
      for (Consumer<RedisServer> change : changes) {
        assertThatThrownBy(() -> change.accept(given))
            .isInstanceOf(UnsupportedOperationException.class)
            .hasMessageContaining("was given by its URI")
            .hasMessageContaining("owned()");
      }
      assertThat(started.command("PING")).isEqualTo("PONG");
    }
  }

  @Test
  void a_test_that_wants_its_own_server_does_not_get_the_given_one() {
    try (RedisServer started = embedded().start();
        RedisServer own = builder(started.uri(), "", WITH_ARTIFACT).owned().start()) {
      assertThat(own.source()).startsWith("embedded-redis ");
      assertThat(own.port()).isNotEqualTo(started.port());
    }
  }

  @Test
  void a_given_server_that_does_not_answer_is_an_error_that_shows_no_password() {
    String uri = "redis://app:s3cret@127.0.0.1:" + FreePorts.next();

    assertThatThrownBy(() -> builder(uri, "", WITH_ARTIFACT).start())
        .isInstanceOf(TestServerException.class)
        .hasMessageContaining("PING was not answered by 127.0.0.1:")
        .hasMessageNotContaining("s3cret");
  }

  @Test
  void a_malformed_uri_is_not_echoed() {
    for (String uri :
        List.of("redis://:s3 cret@host", "http://:s3cret@host", "s3cret", "redis://s3cret@/x")) {
      assertThatThrownBy(() -> builder(uri, "", WITH_ARTIFACT).start())
          .isInstanceOf(TestServerException.class)
          .hasMessageContaining("redis[s]://[user:password@]host[:port][/database]")
          .hasNoCause()
          .hasMessageNotContaining("cret");
    }
  }

  @Test
  void a_program_on_the_path_comes_before_the_artifact() throws Exception {
    EmbeddedRedis.find(WITH_ARTIFACT).extractTo(directory);

    try (RedisServer redis =
        builder(null, "/nowhere:" + directory, WITH_ARTIFACT).start()) {
      assertThat(redis.source()).startsWith("redis-server on PATH ");
      assertThat(TestProcesses.serverProcess(redis).info().command().orElseThrow())
          .isEqualTo(directory.toRealPath().resolve("redis-server").toString());
    }
  }

  @Test
  void valkey_on_the_path_will_do() throws Exception {
    Files.move(
        EmbeddedRedis.find(WITH_ARTIFACT).extractTo(directory), directory.resolve("valkey-server"));

    try (RedisServer redis =
        builder(null, directory.toString(), WITHOUT_ARTIFACT).start()) {
      assertThat(redis.source()).startsWith("valkey-server on PATH ");
    }
  }

  @Test
  void the_artifact_is_the_last_resort() {
    try (RedisServer redis = builder(null, directory.toString(), WITH_ARTIFACT).start()) {
      assertThat(redis.source()).startsWith("embedded-redis ");
    }
  }

  @Test
  void without_any_source_the_error_says_what_was_tried_and_what_to_do() {
    assertThatThrownBy(
            () -> builder(null, directory.toString(), WITHOUT_ARTIFACT).start())
        .isInstanceOf(TestServerException.class)
        .hasMessageContaining("given URI: neither interlock.test.redis nor INTERLOCK_TEST_REDIS")
        .hasMessageContaining("Docker: no daemon answers at any of [unix:///nowhere/docker.sock]")
        .hasMessageContaining("PATH: none of [redis-server, valkey-server] is in " + directory)
        .hasMessageContaining("embedded-redis: the artifact is not on the class path")
        .hasMessageContaining("-Dinterlock.test.redis=redis://host:port");
  }

  @Test
  void a_source_asked_for_is_the_only_one_tried() {
    assertThatThrownBy(() -> builder(null, directory.toString(), WITH_ARTIFACT)
            .from(RedisSource.PATH)
            .start())
        .hasMessageContaining("PATH: none")
        .hasMessageNotContaining("Docker:");
  }

  @Test
  void the_builder_refuses_what_is_not_the_tests_to_set() {
    RedisServerBuilder builder = embedded();

    assertThatThrownBy(() -> builder.config("Port", "1"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Port");
    assertThatThrownBy(() -> builder.config("save", "\nport 1"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> builder.user("default", "off"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("password(...)");
    assertThatThrownBy(() -> builder.onPort(-1)).isInstanceOf(IllegalArgumentException.class);
  }

  private static RedisServerBuilder embedded() {
    return TestRedis.builder().from(RedisSource.EMBEDDED);
  }

  private static RedisServerBuilder builder(
      @Nullable String uri, String path, ClassLoader artifacts) {
    List<URI> docker = List.of(URI.create("unix:///nowhere/docker.sock"));
    return new RedisServerBuilder(new Surroundings<>(uri, null, "redis", path, docker, artifacts));
  }
}
