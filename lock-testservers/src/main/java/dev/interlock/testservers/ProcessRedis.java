package dev.interlock.testservers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** A server program on this machine. */
final class ProcessRedis extends RedisAtEndpoint {
  private static final String ADDRESS = "127.0.0.1";
  private static final Duration START_LIMIT = Duration.ofSeconds(30);
  private static final Duration STOP_GRACE = Duration.ofSeconds(10);
  private static final int TRIES = 3;

  private final ServerProcess process;

  private ProcessRedis(RedisEndpoint endpoint, String origin, ServerProcess process) {
    super(endpoint, origin);
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
    for (int tries = 1; ; tries++) {
      int port = settings.port() == 0 ? FreePorts.next() : settings.port();
      ProcessRedis server = prepare(settings.withPort(port), origin, program);
      try {
        server.start();
        return server;
      } catch (RuntimeException e) {
        boolean retry = settings.port() == 0 && tries < TRIES && server.lostItsPort();
        server.close();
        if (!retry) {
          throw e;
        }
      }
    }
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
      return new ProcessRedis(endpoint, origin, new ServerProcess(home, command));
    } catch (IOException e) {
      home.delete();
      throw new TestServerException("No configuration can be written to " + home.path() + ".", e);
    } catch (RuntimeException e) {
      home.delete();
      throw e;
    }
  }

  /** Whether another process took the free port first: then one more try is worth it. */
  private boolean lostItsPort() {
    return process.logTail().contains("Address already in use");
  }

  @Override
  public boolean isControllable() {
    return true;
  }

  @Override
  public void start() {
    process.start();
    process.awaitReady(START_LIMIT, this::answers);
  }

  /** Whether this server answers, and not another one that has its port. */
  private boolean answers() {
    Map<String, String> info = endpoint().serverInfo();
    if (!Long.toString(process.pid()).equals(info.get("process_id"))) {
      return false;
    }
    reportsItself(info);
    return true;
  }

  @Override
  public void stop() {
    process.stop("TERM", STOP_GRACE);
  }

  @Override
  public void pause() {
    process.pause();
  }

  @Override
  public void resume() {
    process.resume();
  }

  @Override
  public void kill() {
    process.kill();
  }

  @Override
  public void close() {
    process.close();
  }
}
