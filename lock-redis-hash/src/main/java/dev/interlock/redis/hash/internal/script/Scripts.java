package dev.interlock.redis.hash.internal.script;

import dev.interlock.redis.support.LuaScript;

/** What runs on the server. Keys, arguments and answers stand at the head of each script. */
public final class Scripts {
  public static final LuaScript ATTEMPT = script(
      "hold.lua",
      "clock.lua",
      "free.lua",
      "state.lua",
      "behind.lua",
      "rare.lua",
      "queue.lua",
      "attempts.lua",
      "attempt.lua");
  public static final LuaScript RELEASE = script(
      "hold.lua",
      "single.lua",
      "clock.lua",
      "state.lua",
      "behind.lua",
      "rare.lua",
      "queue.lua",
      "attempts.lua",
      "release.lua");
  public static final LuaScript RENEW = script(
      "hold.lua", "clock.lua", "state.lua", "behind.lua", "rare.lua", "queue.lua", "renew.lua");
  public static final LuaScript ABANDON = script(
      "hold.lua", "clock.lua", "state.lua", "behind.lua", "rare.lua", "queue.lua", "abandon.lua");
  public static final LuaScript FORCE = script(
      "hold.lua", "clock.lua", "state.lua", "behind.lua", "rare.lua", "queue.lua", "force.lua");
  public static final LuaScript INSPECT =
      script("hold.lua", "clock.lua", "state.lua", "behind.lua", "rare.lua", "inspect.lua");
  public static final LuaScript WAITERS =
      script("hold.lua", "clock.lua", "state.lua", "behind.lua", "rare.lua", "waiters.lua");

  private Scripts() {}

  private static LuaScript script(String... resources) {
    return LuaScript.of(Scripts.class, resources);
  }
}
