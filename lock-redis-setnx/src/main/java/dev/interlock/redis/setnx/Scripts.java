package dev.interlock.redis.setnx;

import dev.interlock.redis.support.LuaScript;

/** What runs on the server. Keys, arguments and answers stand at the head of each script. */
final class Scripts {
  static final LuaScript TRY = script("now.lua", "try.lua");
  static final LuaScript ACQUIRE =
      script("now.lua", "foreign.lua", "afterwards.lua", "grant.lua", "note.lua", "acquire.lua");
  static final LuaScript RELEASE =
      script("master.lua", "foreign.lua", "afterwards.lua", "wake.lua", "release.lua");
  static final LuaScript PASS = script(
      "now.lua",
      "master.lua",
      "foreign.lua",
      "afterwards.lua",
      "grant.lua",
      "note.lua",
      "wake.lua",
      "pass.lua");
  static final LuaScript RENEW = script("master.lua", "renew.lua");
  static final LuaScript ABANDON =
      script("foreign.lua", "afterwards.lua", "wake.lua", "abandon.lua");
  static final LuaScript FORCE =
      script("master.lua", "foreign.lua", "afterwards.lua", "wake.lua", "force.lua");
  static final LuaScript INSPECT = script("inspect.lua");

  private Scripts() {}

  private static LuaScript script(String... resources) {
    return LuaScript.of(Scripts.class, resources);
  }
}
