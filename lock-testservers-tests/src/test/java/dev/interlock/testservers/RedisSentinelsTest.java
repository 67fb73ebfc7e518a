package dev.interlock.testservers;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A master and its replicas do what the sentinels are asked for. */
@Tag("thorough")
@Timeout(180)
class RedisSentinelsTest {

  @Test
  void roles_move_on_request_and_after_a_kill(@TempDir Path files) {
    TlsFiles tls = TlsFiles.selfSigned(files);
    try (RedisSentinels set =
        TestRedis.sentinels(1, builder -> builder.password("s3cret").tls(tls))) {
      RedisServer first = set.master();
      first.command("SET", "k", "v");
      assertThat(set.uri("redis-hash"))
          .matches("redis-hash://default:s3cret@127.0.0.1:\\d+,127.0.0.1:\\d+,127.0.0.1:\\d+"
              + "\\?topology=sentinel&sentinelPassword=s3cret&master=locks");

      set.failOver();
      RedisServer second = set.master();
      assertThat(second).isNotSameAs(first);
      assertThat(set.replicas()).containsExactly(first);
      RedisSentinels.awaitReplicas(second, 1);

      set.killMaster();
      assertThat(set.master()).isSameAs(first);
      assertThat(first.command("GET", "k")).isEqualTo("v");
    }
  }
}
