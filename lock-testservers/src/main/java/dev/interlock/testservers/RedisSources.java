package dev.interlock.testservers;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Tries the sources of a server in their order and takes the first one that has one. */
final class RedisSources {
  static final List<String> PROGRAMS = List.of("redis-server", "valkey-server");

  private static final String PROPERTY = "interlock.test.redis";
  private static final String VARIABLE = "INTERLOCK_TEST_REDIS";

  private final Surroundings<RedisSource> surroundings;

  RedisSources(Surroundings<RedisSource> surroundings) {
    this.surroundings = surroundings;
  }

  static Surroundings<RedisSource> ofThisJvm() {
    return Surroundings.ofThisJvm(PROPERTY, VARIABLE, RedisSource.class, "redis:8.2-alpine");
  }

  RedisServer start(RedisSettings settings) {
    RedisSource only = settings.only();
    List<String> misses = new ArrayList<>();
    for (RedisSource source : only == null ? RedisSource.values() : new RedisSource[] {only}) {
      try {
        return start(source, settings);
      } catch (SourceUnavailableException e) {
        misses.add(source + ": " + e.getMessage());
      }
    }
    throw new NoTestServerException(
        "Redis",
        misses,
        "Give one with -D"
            + PROPERTY
            + "=redis://host:port, start a Docker daemon, install redis-server, or add"
            + " com.github.codemonstur:embedded-redis to the class path.");
  }

  private RedisServer start(RedisSource source, RedisSettings settings)
      throws SourceUnavailableException {
    return switch (source) {
      case GIVEN -> given(settings);
      case DOCKER -> inContainer(settings);
      case PATH -> onPath(settings);
      case EMBEDDED -> embedded(settings);
    };
  }

  private RedisServer given(RedisSettings settings) throws SourceUnavailableException {
    String uri = surroundings.givenUri();
    if (uri == null) {
      throw new SourceUnavailableException("neither " + PROPERTY + " nor " + VARIABLE + " is set");
    }
    if (!settings.asksForNothing()) {
      throw new SourceUnavailableException(
          "this test asks for settings or for a server that it can stop, so the given one is of no"
              + " use to it");
    }
    return new GivenRedis(RedisEndpoint.parse(uri));
  }

  private RedisServer inContainer(RedisSettings settings) throws SourceUnavailableException {
    if (settings.process()) {
      throw new SourceUnavailableException(
          "servers that talk to one another need addresses that are the same for everybody");
    }
    DockerDaemon.require(surroundings.dockerAddresses(), surroundings.image());
    return DockerRedis.start(settings, surroundings.image());
  }

  private RedisServer onPath(RedisSettings settings) throws SourceUnavailableException {
    Path program = surroundings
        .onPath(PROGRAMS)
        .orElseThrow(() -> new SourceUnavailableException(
            "none of " + PROGRAMS + " is in " + surroundings.path()));
    return ProcessRedis.start(settings, program.getFileName() + " on PATH", home -> program);
  }

  private RedisServer embedded(RedisSettings settings) throws SourceUnavailableException {
    EmbeddedRedis artifact = EmbeddedRedis.find(surroundings.artifacts());
    return ProcessRedis.start(
        settings, RedisSource.EMBEDDED.toString(), home -> artifact.extractTo(home.path()));
  }
}
