package dev.interlock.testservers.internal.source;

import dev.interlock.testservers.NoTestServerException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Tries the sources of a server in their order and takes the first one that has one.
 *
 * @param <E> the sources of this kind of server
 * @param <S> the server
 */
public abstract class ServerSources<E extends Enum<E>, S> {
  private final Surroundings<E> surroundings;
  private final String property;
  private final String variable;

  /**
   * Tries none yet.
   *
   * @param property the system property with the URI of a given server
   * @param variable the same for environment variables
   */
  protected ServerSources(Surroundings<E> surroundings, String property, String variable) {
    this.surroundings = surroundings;
    this.property = property;
    this.variable = variable;
  }

  /** Starts a server of one source, or connects to the given one. */
  protected abstract S start(E source) throws SourceUnavailableException;

  /**
   * Starts a server of the first source that has one.
   *
   * @param only the one source allowed
   * @throws NoTestServerException with this product and remedy if there is none
   */
  protected final S startFirst(Class<E> sources, @Nullable E only, String product, String remedy) {
    List<String> misses = new ArrayList<>();
    for (E source : only == null ? List.of(sources.getEnumConstants()) : List.of(only)) {
      try {
        return start(source);
      } catch (SourceUnavailableException e) {
        misses.add(source + ": " + e.getMessage());
      }
    }
    throw new NoTestServerException(product, misses, remedy);
  }

  /**
   * The address of the given server.
   *
   * @param anyWillDo whether a server will do whose settings are not ours, and that is not ours to
   *     stop
   */
  protected final String givenUri(boolean anyWillDo) throws SourceUnavailableException {
    String uri = surroundings.givenUri();
    if (uri == null) {
      throw new SourceUnavailableException("neither " + property + " nor " + variable + " is set");
    }
    if (!anyWillDo) {
      throw new SourceUnavailableException(
          "this test asks for settings or for a server that it can stop, so the given one is of no"
              + " use to it");
    }
    return uri;
  }

  /** The first of these programs that is on the search path. */
  protected final Path program(List<String> names) throws SourceUnavailableException {
    return surroundings
        .onPath(names)
        .orElseThrow(() ->
            new SourceUnavailableException("none of " + names + " is in " + surroundings.path()));
  }

  /**
   * The image of a container that can be started.
   *
   * @param process whether it has to be a process on this machine
   */
  protected final String image(boolean process) throws SourceUnavailableException {
    if (process) {
      throw new SourceUnavailableException(
          "servers that talk to one another need addresses that are the same for everybody");
    }
    DockerDaemon.require(surroundings.dockerAddresses(), surroundings.image());
    return surroundings.image();
  }

  /** The class loader that may see a server program in an artifact. */
  protected final ClassLoader artifacts() {
    return surroundings.artifacts();
  }
}
