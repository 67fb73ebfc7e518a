package dev.interlock.measure.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class RedisProbeTest {

  @Test
  void callsAreReadByCommandAndOurOwnQuestionIsLeftOut() {
    String info = """
        # Commandstats\r
        cmdstat_set:calls=12,usec=40,usec_per_call=3.33,rejected_calls=0,failed_calls=0\r
        cmdstat_config|get:calls=1,usec=4,usec_per_call=4.00\r
        cmdstat_info:calls=7,usec=900,usec_per_call=128.57\r
        """;

    assertThat(RedisProbe.parseCommands(info)).isEqualTo(Map.of("set", 12L, "config|get", 1L));
  }
}
