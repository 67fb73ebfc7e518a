package dev.interlock.testservers;

import dev.interlock.testservers.internal.redis.RedisSettings;
import dev.interlock.testservers.internal.redis.RedisSources;
import dev.interlock.testservers.internal.source.Surroundings;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a test server.
 *
 * <p>Any setting but {@link #from} rules out a given server, since its settings are not ours; the
 * next source is used then. Not thread-safe; {@link #start} can be called several times and starts
 * one more server each time.
 */
public final class RedisServerBuilder {
  private static final Set<String> OWN_DIRECTIVES = Set.of(
      "port",
      "bind",
      "dir",
      "daemonize",
      "supervised",
      "logfile",
      "protected-mode",
      "requirepass",
      "user",
      "aclfile",
      "tls-port",
      "tls-cert-file",
      "tls-key-file",
      "tls-ca-cert-file");

  private final Surroundings<RedisSource> surroundings;
  private final List<List<String>> directives = new ArrayList<>();
  private int port;
  private boolean owned;
  private boolean process;
  private @Nullable String password;
  private @Nullable TlsFiles tls;
  private @Nullable RedisSource only;

  RedisServerBuilder(Surroundings<RedisSource> surroundings) {
    this.surroundings = surroundings;
    this.only = surroundings.only();
  }

  /** The password of the default user; without it there is none. */
  public RedisServerBuilder password(String password) {
    this.password = oneLine(password);
    return this;
  }

  /**
   * Adds an ACL user beside the default one.
   *
   * @param name the user's name, not {@code default}, which has every right and is used for
   *     {@link RedisServer#command}
   * @param rules as for {@code ACL SETUSER}, such as {@code "on", ">secret", "~*", "+@all",
   *     "-@scripting"}
   */
  public RedisServerBuilder user(String name, String... rules) {
    if (name.equals("default")) {
      throw new IllegalArgumentException(
          "The default user is needed to watch the server; set its password with password(...).");
    }
    return directive(Stream.concat(Stream.of("user", name), Stream.of(rules)));
  }

  /**
   * Adds a line to redis.conf, such as {@code config("maxmemory-policy", "allkeys-lru")}. A
   * directive that may stand several times may be added several times.
   *
   * @throws IllegalArgumentException if the directive has a method of its own here, or belongs to
   *     what keeps the server private and under control
   */
  public RedisServerBuilder config(String directive, String... values) {
    if (OWN_DIRECTIVES.contains(directive.toLowerCase(Locale.ROOT))) {
      throw new IllegalArgumentException(
          directive + " is set by the builder's other methods or not at all.");
    }
    return directive(Stream.concat(Stream.of(directive), Stream.of(values)));
  }

  /**
   * Writes each change to disk before it is answered, so that it survives {@link RedisServer#stop}
   * and {@link RedisServer#kill}. Without it a restarted server is empty.
   */
  public RedisServerBuilder durable() {
    return config("appendonly", "yes").config("appendfsync", "always");
  }

  /** Speaks TLS and nothing else on the server's port, without asking for client certificates. */
  public RedisServerBuilder tls(TlsFiles files) {
    this.tls = files;
    return this;
  }

  /** Listens on this port; 0, the default, means a free one. */
  public RedisServerBuilder onPort(int port) {
    if (port < 0 || port > 65_535) {
      throw new IllegalArgumentException("A port lies between 0 and 65535, " + port + " does not.");
    }
    this.port = port;
    return this;
  }

  /** Asks for a server of this test's own, one that can be stopped, paused and killed. */
  public RedisServerBuilder owned() {
    this.owned = true;
    return this;
  }

  /**
   * Asks for a process on this machine, which is what several servers need that talk to one
   * another; a setting that allows other sources only does not count for it.
   */
  RedisServerBuilder asProcess() {
    this.owned = true;
    this.process = true;
    if (only == RedisSource.GIVEN || only == RedisSource.DOCKER) {
      only = null;
    }
    return this;
  }

  /** The password of the default user, if there is one. */
  Optional<String> password() {
    return Optional.ofNullable(password);
  }

  /** Whether the server is to speak TLS. */
  boolean speaksTls() {
    return tls != null;
  }

  /** Takes the server from this source only, whatever the system property says. */
  public RedisServerBuilder from(RedisSource source) {
    this.only = source;
    return this;
  }

  /**
   * Starts a server and waits until it answers.
   *
   * @throws TestServerException if there is no server to be had, or it does not start within 30 s;
   *     the message says what was tried
   */
  public RedisServer start() {
    RedisSettings settings =
        new RedisSettings(port, password, directives, tls, owned, process, only);
    return new RedisSources(surroundings, settings).startAny();
  }

  private RedisServerBuilder directive(Stream<String> words) {
    directives.add(words.map(RedisServerBuilder::oneLine).toList());
    return this;
  }

  private static String oneLine(String word) {
    if (word.chars().anyMatch(Character::isISOControl)) {
      throw new IllegalArgumentException(
          "A setting must not have line breaks or control characters.");
    }
    return word;
  }
}
