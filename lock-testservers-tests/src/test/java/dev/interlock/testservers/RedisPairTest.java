package dev.interlock.testservers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("thorough")
class RedisPairTest {

  @Test
  void a_replica_that_is_promoted_has_what_was_replicated_and_nothing_of_later() {
    try (RedisPair pair = TestRedis.pair()) {
      pair.master().command("SET", "before", "1");
      pair.awaitReplicated();
      assertThatThrownBy(() -> pair.replica().command("SET", "x", "1"))
          .hasMessageContaining("READONLY");

      pair.promote();
      pair.master().command("SET", "after", "1");
      pair.master().kill();

      assertThat(pair.replica().command("GET", "before")).isEqualTo("1");
      assertThat(pair.replica().command("GET", "after")).isEqualTo("(nil)");
      assertThat(pair.replica().command("SET", "x", "1")).isEqualTo("OK");
    }
  }
}
