package dev.interlock.measure.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SeveralProbesTest {

  private record Fixed(String version, Map<String, Long> commands, OptionalLong cpuMicros)
      implements ServerProbe {

    @Override
    public OptionalLong totalCommands() {
      return OptionalLong.of(
          commands.values().stream().mapToLong(Long::longValue).sum());
    }

    @Override
    public Footprint footprint(String name) {
      return new Footprint(commands.size(), 100);
    }

    @Override
    public Set<String> contents(String name) {
      return commands.keySet();
    }

    @Override
    public void close() {}
  }

  @Test
  void whatEachAnswersIsAddedUp() {
    ServerProbe one = new Fixed("Redis 8", Map.of("set", 2L, "get", 1L), OptionalLong.of(5));
    ServerProbe other = new Fixed("Redis 8", Map.of("set", 3L), OptionalLong.of(7));

    ServerProbe both = ServerProbe.together(List.of(one, other));

    assertThat(both.version()).isEqualTo("Redis 8");
    assertThat(both.commands()).isEqualTo(Map.of("set", 5L, "get", 1L));
    assertThat(both.totalCommands()).hasValue(6);
    assertThat(both.cpuMicros()).hasValue(12);
    assertThat(both.footprint("")).isEqualTo(new ServerProbe.Footprint(3, 200));
    assertThat(both.contents("")).containsExactlyInAnyOrder("get", "set");
  }

  @Test
  void whatOneDoesNotTellNobodyTells() {
    ServerProbe one = new Fixed("Redis 8", Map.of(), OptionalLong.of(5));
    ServerProbe silent = new Fixed("Redis 7", Map.of(), OptionalLong.empty());

    ServerProbe both = ServerProbe.together(List.of(one, silent));

    assertThat(both.cpuMicros()).isEmpty();
    assertThat(both.version()).isEqualTo("Redis 8, Redis 7");
  }
}
