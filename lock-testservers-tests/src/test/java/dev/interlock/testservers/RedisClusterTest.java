package dev.interlock.testservers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A cluster's slots and roles move as a test asks. */
@Tag("thorough")
@Timeout(180)
class RedisClusterTest {

  @Test
  void slots_and_roles_move_with_their_keys() {
    try (RedisCluster cluster = TestRedis.cluster(1, builder -> builder.password("s3cret"))) {
      assertThat(cluster.nodes()).hasSize(6);
      assertThat(cluster.masters()).hasSize(3);
      int slot = cluster.slotOf("k");
      RedisServer source = cluster.masterOf(slot);
      RedisServer target =
          cluster.masters().stream().filter(node -> node != source).findFirst().orElseThrow();
      source.command("SET", "k", "v");

      cluster.beginMigration(slot, target);
      assertThat(source.command("GET", "k")).isEqualTo("v");
      assertThatThrownBy(() -> source.command("GET", "other{k}")).hasMessageContaining("ASK");
      cluster.finishMigration(slot, target);
      assertThat(cluster.masterOf(slot)).isSameAs(target);
      assertThatThrownBy(() -> source.command("GET", "k")).hasMessageContaining("MOVED");

      cluster.failOver(target);
      RedisServer second = cluster.masterOf(slot);
      assertThat(second).isNotSameAs(target);
      RedisSentinels.awaitReplicas(second, 1);
      cluster.kill(second);
      assertThat(cluster.masterOf(slot)).isSameAs(target);
      assertThat(cluster.commandOn("k", "GET", "k")).isEqualTo("v");
    }
  }

  @Test
  void a_slot_that_moves_to_and_fro_keeps_its_keys() {
    try (RedisCluster cluster = TestRedis.cluster(0, builder -> builder)) {
      int slot = cluster.slotOf("k");
      cluster.commandOn("k", "SET", "k", "v");
      RedisServer source = cluster.masterOf(slot);
      RedisServer target =
          cluster.masters().stream().filter(node -> node != source).findFirst().orElseThrow();

      for (int moves = 0; moves < 100; moves++) {
        RedisServer next = moves % 2 == 0 ? target : source;
        cluster.beginMigration(slot, next);
        cluster.finishMigration(slot, next);
        assertThat(next.command("GET", "k")).as("after move " + moves).isEqualTo("v");
      }
    }
  }
}
