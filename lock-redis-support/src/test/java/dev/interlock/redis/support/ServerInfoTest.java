package dev.interlock.redis.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.BackendUnavailableException;
import org.junit.jupiter.api.Test;

class ServerInfoTest {

  @Test
  void namesProductAndVersion() {
    assertThat(ServerInfo.parse("# Server\r\nredis_version:7.0.15\r\nrole:master\r\n"))
        .isEqualTo(new ServerInfo("Redis 7.0.15", "master", 0, java.util.Optional.empty()));
    assertThat(
            ServerInfo.parse("redis_version:7.2.4\r\nvalkey_version:8.1.1\r\n").product())
        .isEqualTo("Valkey 8.1.1");
    assertThat(ServerInfo.parse("").product()).isEqualTo("Redis");
  }

  @Test
  void warnsWhenHeldLocksMayBeEvicted() {
    assertThat(ServerInfo.parse("maxmemory:1048576\r\nmaxmemory_policy:volatile-lru\r\n")
            .evictionRisk()
            .orElseThrow())
        .contains("maxmemory=1048576")
        .contains("volatile-lru")
        .contains("noeviction");
  }

  @Test
  void doesNotWarnWithoutALimitOrWithoutEviction() {
    assertThat(
            ServerInfo.parse("maxmemory:0\r\nmaxmemory_policy:allkeys-lru\r\n").evictionRisk())
        .isEmpty();
    assertThat(
            ServerInfo.parse("maxmemory:5\r\nmaxmemory_policy:noeviction\r\n").evictionRisk())
        .isEmpty();
  }

  @Test
  void warnsWhenGrantsNeedMoreReplicasThanThereAre() {
    ServerInfo master = ServerInfo.parse("role:master\r\nconnected_slaves:1\r\n");
    assertThat(master.replicaRisk(0)).isEmpty();
    assertThat(master.replicaRisk(1)).isEmpty();
    assertThat(master.replicaRisk(2).orElseThrow()).contains("has 1 replicas", "replicas=2");
    assertThat(ServerInfo.parse("").replicaRisk(1)).isEmpty();
  }

  @Test
  void refusesAReplicaUnlessAnyNodeOfAClusterMayAnswer() {
    ServerInfo replica = ServerInfo.parse("role:slave\r\n");
    assertThatThrownBy(() -> replica.requireFit("h:1", 0, false))
        .isInstanceOf(BackendUnavailableException.class)
        .hasMessageContaining("h:1 is a replica");
    assertThatCode(() -> replica.requireFit("h:1", 0, true)).doesNotThrowAnyException();
    assertThatCode(() -> ServerInfo.parse("").requireFit("h:1", 1, false))
        .doesNotThrowAnyException();
  }
}
