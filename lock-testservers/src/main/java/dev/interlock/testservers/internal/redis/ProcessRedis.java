package dev.interlock.testservers.internal.redis;

import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestServerException;
import dev.interlock.testservers.internal.control.FreePorts;
import dev.interlock.testservers.internal.control.PrivateDirectory;
import dev.interlock.testservers.internal.control.ServerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** A server program on this machine. */
final class ProcessRedis extends RedisAtEndpoint {
  private static final String ADDRESS = "127.0.0.1";

  private final ServerProcess process;

  private ProcessRedis(RedisEndpoint endpoint, String origin, ServerProcess process) {
    super(endpoint, origin, process);
    this.process = process;
  }

  /**
   * Starts a server.
   *
   * @param origin what {@link #source()} says, without the version
   * @param program finds the program, or puts it into the server's directory
   */
  static RedisServer start(
      RedisSettings settings, String origin, Function<PrivateDirectory, Path> program) {
    return settings.port() == 0
        ? FreePorts.startOnNext(port -> startAt(settings.withPort(port), origin, program))
        : startAt(settings, origin, program);
  }

  private static RedisServer startAt(
      RedisSettings settings, String origin, Function<PrivateDirectory, Path> program) {
    return started(prepare(settings, origin, program));
  }

  private static ProcessRedis prepare(
      RedisSettings settings, String origin, Function<PrivateDirectory, Path> program) {
    PrivateDirectory home = PrivateDirectory.create();
    try {
      RedisEndpoint endpoint = settings.endpoint(ADDRESS, settings.port());
      String configuration = settings.configuration(
          ADDRESS,
          settings.port(),
          home.path().toString(),
          file -> file.toAbsolutePath().toString());
      Path file = Files.writeString(home.path().resolve("redis.conf"), configuration);
      List<String> command =
          new ArrayList<>(List.of(program.apply(home).toString(), file.toString()));
      if (settings.isSentinel()) {
        command.add("--sentinel");
      }
      return new ProcessRedis(endpoint, origin, new ServerProcess(home, command, "TERM"));
    } catch (IOException e) {
      home.delete();
      throw new TestServerException("No configuration can be written to " + home.path() + ".", e);
    } catch (RuntimeException e) {
      home.delete();
      throw e;
    }
  }

  @Override
  protected boolean answers() {
    Map<String, String> info = endpoint().serverInfo();
    if (!Long.toString(process.pid()).equals(info.get("process_id"))) {
      return false;
    }
    reportsItself(info);
    return true;
  }
}
