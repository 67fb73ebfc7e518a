package dev.interlock.redis.support;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.HostPort;
import dev.interlock.LockConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class RedisOptionsTest {

  @Test
  void withoutSettingsItIsTheUsualServerOnThisMachine() {
    LockConfig config = LockConfig.builder("redis-setnx").build();
    assertThat(RedisOptions.address(config)).isEqualTo("localhost:6379");
    assertThat(config.get(RedisOptions.TIMEOUT)).isEqualTo(Duration.ofSeconds(2));
    assertThat(RedisOptions.conflicts(config)).isEmpty();
  }

  @Test
  void aHostWithoutAPortHasTheUsualOne() {
    LockConfig config = LockConfig.builder("redis-setnx")
        .set(
            RedisOptions.HOSTS,
            List.of(new HostPort("a", OptionalInt.empty()), HostPort.of("::1", 7000)))
        .build();
    assertThat(RedisOptions.address(config)).isEqualTo("a:6379,[::1]:7000");
  }

  @Test
  void E8_settingsThatDoNotGoTogetherAreAllNamedWithoutASecret() {
    LockConfig config = LockConfig.builder("redis-setnx")
        .set(RedisOptions.USER, "alice")
        .set(RedisOptions.TRUST_STORE, Path.of("no/such/file"))
        .build();
    assertThat(RedisOptions.conflicts(config)).hasSize(3);

    LockConfig store = LockConfig.builder("redis-setnx")
        .set(RedisOptions.TRUST_STORE_PASSWORD, "hunter2")
        .build();
    assertThat(RedisOptions.conflicts(store)).singleElement().asString().doesNotContain("hunter2");
  }

  @Test
  void E8_whatDoesNotGoWithTheTopologyIsAllNamedWithoutASecret() {
    LockConfig.Builder hosts = LockConfig.builder("redis-hash")
        .set(RedisOptions.HOSTS, List.of(HostPort.of("a", 1), HostPort.of("b", 2)))
        .set(RedisOptions.SENTINEL_PASSWORD, "hunter2");
    assertThat(RedisOptions.conflicts(hosts.build()))
        .hasSize(2)
        .anyMatch(text -> text.startsWith("several hosts"))
        .contains("sentinelPassword is given without topology=sentinel");
    assertThat(RedisOptions.conflicts(
            hosts.set(RedisOptions.TOPOLOGY, Topology.SENTINEL).build()))
        .containsExactly("topology=sentinel needs master=NAME");
    assertThat(RedisOptions.conflicts(
            hosts.set(RedisOptions.MASTER, "m").set(RedisOptions.DATABASE, 3).build()))
        .isEmpty();
    assertThat(RedisOptions.conflicts(
            hosts.set(RedisOptions.TOPOLOGY, Topology.CLUSTER).build()))
        .hasSize(3)
        .anyMatch(text -> text.startsWith("database 3 is given"))
        .contains("master is given without topology=sentinel")
        .noneMatch(text -> text.contains("hunter2"));
  }

  @Test
  void aSentinelWithoutAPortHasTheUsualOneOfSentinels() {
    LockConfig config = LockConfig.builder("redis-hash")
        .set(RedisOptions.TOPOLOGY, Topology.SENTINEL)
        .build();
    assertThat(RedisOptions.address(config)).isEqualTo("localhost:26379");
  }
}
