package dev.interlock.redis.support;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class LuaScriptTest {

  @Test
  void joinsItsPartsAndHasTheirDigest() {
    LuaScript script = LuaScript.of(LuaScriptTest.class, "part.lua", "whole.lua");
    assertThat(script.name()).isEqualTo("whole.lua");
    assertThat(script.source()).asString(UTF_8).isEqualTo("local a = 1\nreturn a\n");
    assertThat(script.sha()).asString(UTF_8).isEqualTo("9d2e97270eaeef3cd35f415c7f6b6d02aaa05cfc");
  }

  @Test
  void saysWhichResourceIsMissing() {
    assertThatThrownBy(() -> LuaScript.of(LuaScriptTest.class, "absent.lua"))
        .hasMessageContaining("absent.lua");
  }
}
