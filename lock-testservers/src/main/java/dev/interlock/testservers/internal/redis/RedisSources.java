package dev.interlock.testservers.internal.redis;

import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.RedisSource;
import dev.interlock.testservers.internal.source.ServerSources;
import dev.interlock.testservers.internal.source.SourceUnavailableException;
import dev.interlock.testservers.internal.source.Surroundings;
import java.nio.file.Path;
import java.util.List;

/** Where Redis servers come from. */
public final class RedisSources extends ServerSources<RedisSource, RedisServer> {
  static final List<String> PROGRAMS = List.of("redis-server", "valkey-server");

  private static final String PROPERTY = "interlock.test.redis";
  private static final String VARIABLE = "INTERLOCK_TEST_REDIS";

  private final RedisSettings settings;

  public RedisSources(Surroundings<RedisSource> surroundings, RedisSettings settings) {
    super(surroundings, PROPERTY, VARIABLE);
    this.settings = settings;
  }

  public static Surroundings<RedisSource> ofThisJvm() {
    return Surroundings.ofThisJvm(PROPERTY, VARIABLE, RedisSource.class, "redis:8.2-alpine");
  }

  public RedisServer startAny() {
    return startFirst(
        RedisSource.class,
        settings.only(),
        "Redis",
        "Give one with -D"
            + PROPERTY
            + "=redis://host:port, start a Docker daemon, install redis-server, or add"
            + " com.github.codemonstur:embedded-redis to the class path.");
  }

  @Override
  protected RedisServer start(RedisSource source) throws SourceUnavailableException {
    return switch (source) {
      case GIVEN -> given();
      case DOCKER -> inContainer();
      case PATH -> onPath();
      case EMBEDDED -> embedded();
    };
  }

  private RedisServer given() throws SourceUnavailableException {
    String uri = givenUri(settings.asksForNothing());
    return new GivenRedis(RedisEndpoint.parse(uri));
  }

  private RedisServer inContainer() throws SourceUnavailableException {
    return DockerRedis.start(settings, image(settings.process()));
  }

  private RedisServer onPath() throws SourceUnavailableException {
    Path program = program(PROGRAMS);
    return ProcessRedis.start(settings, program.getFileName() + " on PATH", home -> program);
  }

  private RedisServer embedded() throws SourceUnavailableException {
    EmbeddedRedis artifact = EmbeddedRedis.find(artifacts());
    return ProcessRedis.start(
        settings, RedisSource.EMBEDDED.toString(), home -> artifact.extractTo(home.path()));
  }
}
