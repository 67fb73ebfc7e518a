package dev.interlock.testservers.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.RedisServerBuilder;
import dev.interlock.testservers.TestServerException;
import dev.interlock.testservers.TlsFiles;
import dev.interlock.testservers.internal.control.FreePorts;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a server that a test owns can do, whatever its source. */
@Timeout(120)
abstract class RedisServerContract {
  private static final Duration SHORT = Duration.ofMillis(300);

  private @Nullable RedisServer server;

  /** A builder that starts servers from the source under test, or skips the test with a reason. */
  abstract RedisServerBuilder builder();

  @AfterEach
  void close() {
    if (server != null) {
      server.close();
    }
  }

  private RedisServer start(RedisServerBuilder builder) {
    server = builder.start();
    return server;
  }

  @Test
  void a_started_server_answers_at_its_uri_and_names_its_version_and_source() {
    RedisServer redis = start(builder());

    assertThat(redis.command("PING")).isEqualTo("PONG");
    assertThat(redis.uri()).isEqualTo("redis://" + redis.host() + ":" + redis.port());
    assertThat(redis.uri("redis-setnx")).startsWith("redis-setnx://");
    assertThat(redis.version()).matches("(Valkey )?\\d+\\.\\d+\\.\\d+");
    assertThat(redis.source()).endsWith(" " + redis.version());
    assertThat(redis.isControllable()).isTrue();
  }

  @Test
  void answers_of_every_kind_become_text() {
    RedisServer redis = start(builder());

    assertThat(redis.command("SET", "k", "line 1\nåß")).isEqualTo("OK");
    assertThat(redis.command("GET", "k")).isEqualTo("line 1\nåß");
    assertThat(redis.command("GET", "absent")).isEqualTo("(nil)");
    assertThat(redis.command("INCR", "n")).isEqualTo("1");
    assertThat(redis.command("MGET", "n", "absent")).isEqualTo("1\n(nil)");
    assertThat(redis.command("KEYS", "x*")).isEmpty();
    assertThatThrownBy(() -> redis.command("NOSUCH"))
        .isInstanceOf(TestServerException.class)
        .hasMessageContaining("NOSUCH was answered with: ERR unknown command");
  }

  @Test
  void a_stopped_server_refuses_connections_and_starts_again_on_the_same_port() {
    RedisServer redis = start(builder());
    int port = redis.port();

    redis.stop();
    assertThatThrownBy(() -> redis.command("PING")).isInstanceOf(TestServerException.class);
    redis.stop();
    redis.start();

    assertThat(redis.command("PING")).isEqualTo("PONG");
    assertThat(redis.port()).isEqualTo(port);
  }

  @Test
  void a_restart_empties_a_server_that_keeps_nothing_on_disk() {
    RedisServer redis = start(builder());
    redis.command("SET", "k", "v");

    redis.restart();

    assertThat(redis.command("GET", "k")).isEqualTo("(nil)");
  }

  @Test
  void a_durable_server_keeps_its_data_across_a_kill() {
    RedisServer redis = start(builder().durable());
    redis.command("SET", "k", "v");

    redis.kill();
    redis.kill();
    redis.start();

    assertThat(redis.command("GET", "k")).isEqualTo("v");
  }

  @Test
  void a_paused_server_is_silent_and_then_does_what_it_was_sent_meanwhile() throws Exception {
    RedisServer redis = start(builder());

    redis.pause();
    redis.pause();
    assertThatThrownBy(() -> ping(redis)).isInstanceOf(IOException.class);
    CompletableFuture<String> late =
        CompletableFuture.supplyAsync(() -> redis.command("INCR", "late"));
    assertThatThrownBy(() -> ping(redis)).isInstanceOf(IOException.class);
    assertThat(late).isNotDone();
    redis.resume();
    redis.resume();

    assertThat(late.get()).isEqualTo("1");
  }

  @Test
  void start_heals_a_paused_server_and_a_running_one_is_left_as_it_is() {
    RedisServer redis = start(builder());
    redis.command("SET", "k", "v");

    redis.pause();
    redis.start();
    redis.start();

    assertThat(redis.command("GET", "k")).isEqualTo("v");
  }

  @Test
  void a_paused_server_can_be_killed_stopped_and_closed() {
    RedisServer redis = start(builder());

    redis.pause();
    redis.kill();
    redis.start();
    redis.pause();
    redis.stop();
    redis.start();
    redis.pause();
    redis.close();
    redis.close();

    assertThatThrownBy(() -> ping(redis)).isInstanceOf(IOException.class);
  }

  @Test
  void a_server_that_is_down_cannot_be_paused_and_a_closed_one_does_nothing() {
    RedisServer redis = start(builder());

    redis.kill();
    redis.resume();
    assertThatThrownBy(redis::pause)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("not running");
    redis.close();
    assertThatThrownBy(redis::start)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("closed");
  }

  @Test
  void a_password_is_demanded_and_stands_in_the_uri_but_not_in_the_text_form() {
    RedisServer redis = start(builder().password("p@ss \"word\""));

    assertThat(redis.uri()).contains("://default:p%40ss%20%22word%22@");
    assertThat(redis.command("PING")).isEqualTo("PONG");
    assertThat(RedisEndpoint.parse(redis.uri()).command("PING")).isEqualTo("PONG");
    assertThatThrownBy(() -> endpoint(redis, null, null).command("PING"))
        .hasMessageContaining("NOAUTH");
    assertThat(redis).asString().doesNotContain("p@ss").contains(redis.source());
  }

  @Test
  void an_acl_user_has_the_rights_that_it_was_given() {
    RedisServer redis =
        start(builder().user("app", "on", ">secret", "~*", "&*", "+@all", "-@scripting"));
    RedisEndpoint app = endpoint(redis, "app", "secret");

    assertThat(app.command("SET", "k", "v")).isEqualTo("OK");
    assertThatThrownBy(() -> app.command("EVAL", "return 1", "0")).hasMessageContaining("NOPERM");
    assertThat(redis.command("EVAL", "return 1", "0")).isEqualTo("1");
  }

  @Test
  void directives_reach_the_server() {
    RedisServer redis =
        start(builder().config("maxmemory-policy", "allkeys-lru").config("save", "900", "1"));

    assertThat(redis.command("CONFIG", "GET", "maxmemory-policy")).endsWith("allkeys-lru");
    assertThat(redis.command("CONFIG", "GET", "save")).endsWith("900 1");
  }

  @Test
  void a_server_with_tls_speaks_nothing_else(@TempDir Path files) {
    RedisServer redis = start(builder().tls(TlsFiles.selfSigned(files)));

    assertThat(redis.uri()).startsWith("rediss://");
    assertThat(redis.command("PING")).isEqualTo("PONG");
    assertThatThrownBy(() -> ping(redis)).isInstanceOf(IOException.class);
    redis.restart();
    assertThat(redis.command("PING")).isEqualTo("PONG");
  }

  @Test
  void two_servers_at_once_know_nothing_of_each_other() {
    RedisServer one = start(builder());
    try (RedisServer other = builder().start()) {
      one.command("SET", "k", "v");

      assertThat(other.port()).isNotEqualTo(one.port());
      assertThat(other.command("GET", "k")).isEqualTo("(nil)");
      other.kill();
      assertThat(one.command("GET", "k")).isEqualTo("v");
    }
  }

  @Test
  void the_port_can_be_chosen() {
    int port = FreePorts.next();

    assertThat(start(builder().onPort(port)).port()).isEqualTo(port);
  }

  /** A plain PING without credentials that gives up soon. */
  static void ping(RedisServer redis) throws IOException {
    try (RedisConnection connection = RedisConnection.open(endpoint(redis, null, null), SHORT)) {
      connection.call("PING");
    }
  }

  private static RedisEndpoint endpoint(
      RedisServer redis, @Nullable String user, @Nullable String password) {
    return new RedisEndpoint(redis.host(), redis.port(), user, password, 0, null);
  }
}
