package dev.interlock.testservers.internal.redis;

import dev.interlock.testservers.RedisSource;
import dev.interlock.testservers.TestServerException;
import dev.interlock.testservers.TlsFiles;
import dev.interlock.testservers.internal.control.FreePorts;
import dev.interlock.testservers.internal.control.ServerContainer;
import dev.interlock.testservers.internal.source.SourceUnavailableException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.images.builder.Transferable;
import org.testcontainers.utility.DockerImageName;

/** A server in a container. */
final class DockerRedis extends RedisAtEndpoint {
  private static final int PORT = 6379;
  private static final String FILES = "/interlock/";

  private DockerRedis(RedisEndpoint endpoint, String image, ServerContainer container) {
    super(endpoint, RedisSource.DOCKER + " " + image, container);
  }

  static DockerRedis start(RedisSettings settings, String image) throws SourceUnavailableException {
    DockerRedis server;
    try {
      int port = settings.port() == 0 ? FreePorts.next() : settings.port();
      server = new DockerRedis(
          settings.endpoint(ServerContainer.host(), port),
          image,
          ServerContainer.create(container(settings, image), PORT, port));
    } catch (RuntimeException e) {
      throw new SourceUnavailableException("no container of " + image + " starts: " + e, e);
    }
    return started(server);
  }

  private static GenericContainer<?> container(RedisSettings settings, String image) {
    String configuration =
        settings.configuration("0.0.0.0", PORT, "/tmp", file -> FILES + file.getFileName());
    GenericContainer<?> container = new GenericContainer<>(DockerImageName.parse(image))
        .withCommand("redis-server", FILES + "redis.conf")
        .withCopyToContainer(Transferable.of(configuration), FILES + "redis.conf");
    TlsFiles tls = settings.tls();
    if (tls != null) {
      for (Path file : List.of(tls.certificate(), tls.privateKey(), tls.authority())) {
        container.withCopyToContainer(Transferable.of(bytes(file)), FILES + file.getFileName());
      }
    }
    return container;
  }

  private static byte[] bytes(Path file) {
    try {
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw new TestServerException(file + " cannot be read.", e);
    }
  }
}
