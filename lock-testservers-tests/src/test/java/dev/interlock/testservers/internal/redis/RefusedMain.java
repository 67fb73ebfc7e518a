package dev.interlock.testservers.internal.redis;

import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.RedisServerBuilder;
import dev.interlock.testservers.RedisSource;
import dev.interlock.testservers.TestProcesses;
import dev.interlock.testservers.TestRedis;
import dev.interlock.testservers.TestServerException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * A JVM that says where the directory of a server was, then asks for one with a setting that the
 * server refuses, and says why that one did not start and which temporary files there are.
 */
final class RefusedMain {
  private RefusedMain() {}

  public static void main(String[] arguments) throws IOException {
    try (RedisServer redis = TestRedis.builder().from(RedisSource.EMBEDDED).start()) {
      System.out.println(TestProcesses.home(redis));
    }
    RedisServerBuilder refused =
        TestRedis.builder().from(RedisSource.EMBEDDED).config("maxmemory-policy", "nonsense");
    try (RedisServer started = refused.start()) {
      throw new AssertionError("started: " + started);
    } catch (TestServerException expected) {
      System.out.println(expected.getMessage());
    }
    // Here, for the end of this JVM takes away what was forgotten.
    try (Stream<Path> left = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
      System.out.println("left: " + left.toList());
    }
  }
}
