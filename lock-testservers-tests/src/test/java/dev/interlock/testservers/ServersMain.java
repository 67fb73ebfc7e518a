package dev.interlock.testservers;

import java.nio.file.Path;

/** A JVM that starts two servers, says so, and never closes them. Its input's end ends it. */
final class ServersMain {
  private ServersMain() {}

  public static void main(String[] arguments) throws Exception {
    for (int i = 0; i < 2; i++) {
      RedisServer redis = TestRedis.builder().from(RedisSource.EMBEDDED).start();
      if (arguments[0].equals("restarted")) {
        redis.restart();
      }
      long pid = TestProcesses.serverProcess(redis).pid();
      Path home = TestProcesses.home(redis);
      switch (arguments[0]) {
        case "paused" -> redis.pause();
        case "stopped" -> redis.stop();
        default -> redis.command("PING");
      }
      System.out.println(pid + " " + home);
    }
    System.out.println("ready");
    while (System.in.read() >= 0) {}
  }
}
