package dev.interlock.compare.peers;

import dev.interlock.Capability;
import dev.interlock.LockClient;
import dev.interlock.measure.CountedClient;
import dev.interlock.measure.CountedScenario;
import dev.interlock.measure.SectionClient;
import dev.interlock.measure.peers.PeerLocks;
import dev.interlock.measure.peers.PeerTables;
import dev.interlock.measure.peers.RedissonCounted;
import dev.interlock.measure.peers.RedissonKind;
import dev.interlock.measure.peers.RedissonLocks;
import dev.interlock.measure.peers.SpringJdbcLocks;
import dev.interlock.measure.peers.SpringRedisLocks;
import dev.interlock.measure.peers.Versions;
import dev.interlock.measure.server.ServerAddress;
import dev.interlock.measure.server.ServerKind;
import dev.interlock.measure.server.ServerProbe;
import dev.interlock.tck.ClientSource;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;

/** Opens another library's locks for the kit, which makes one of these in each of its JVMs. */
abstract class PeerSource implements ClientSource {
  private static final int CONNECTIONS = 16;

  private final String id;
  private final String library;
  private final ServerKind kind;
  private final Set<Capability> capabilities;
  private final BiFunction<ServerAddress, Boolean, PeerLocks> opener;

  private PeerSource(
      String id,
      String library,
      ServerKind kind,
      Set<Capability> capabilities,
      BiFunction<ServerAddress, Boolean, PeerLocks> opener) {
    this.id = id;
    this.library = library;
    this.kind = kind;
    this.capabilities = capabilities;
    this.opener = opener;
  }

  private PeerSource(String id, RedissonKind redisson) {
    this(
        id,
        "redisson",
        ServerKind.REDIS,
        redisson.capabilities(),
        (server, few) -> new RedissonLocks(server, redisson, few));
  }

  @Override
  public final String id() {
    return id;
  }

  @Override
  public final String version() {
    return Versions.of(library);
  }

  @Override
  public final Set<Capability> capabilities() {
    return capabilities;
  }

  @Override
  public final LockClient open(String uri) {
    // The kit opens many clients in each JVM.
    return new PeerClient(locks(uri, true));
  }

  /** Opens the library's client with its usual settings, to look what happens to its locks. */
  final LockClient usual(String uri) {
    return new PeerClient(locks(uri, false));
  }

  /** Opens the library's client with its usual settings, to be measured. */
  final SectionClient sections(String uri) {
    return locks(uri, false);
  }

  /** Opens the library's client whose locks are held in parts; none if it has no such locks. */
  Optional<CountedClient> counted(String uri, CountedScenario scenario) {
    return Optional.empty();
  }

  /** What the library keeps on a server, asked past it. */
  final Set<String> kept(String uri) {
    try (ServerProbe probe = kind.probe(server(uri))) {
      return probe.contents(kind == ServerKind.REDIS ? "" : PeerTables.PREFIX);
    }
  }

  private PeerLocks locks(String uri, boolean few) {
    ServerAddress server = server(uri);
    return PeerErrors.callUninterruptibly(() -> opener.apply(server, few));
  }

  final ServerAddress server(String uri) {
    return ServerAddress.parse(kind, uri.replaceFirst("^[^:]*", kind.scheme()));
  }

  /** Redisson's {@code RLock}, and what it has for readers and permits. Immutable. */
  public static final class Redisson extends PeerSource {
    /** For the kit. */
    public Redisson() {
      super("redisson", RedissonKind.PLAIN);
    }

    @Override
    Optional<CountedClient> counted(String uri, CountedScenario scenario) {
      ServerAddress server = server(uri);
      return Optional.of(
          PeerErrors.callUninterruptibly(() -> RedissonCounted.of(server, scenario)));
    }
  }

  /** Redisson's fair lock. Immutable. */
  public static final class RedissonFair extends PeerSource {
    /** For the kit. */
    public RedissonFair() {
      super("redisson-fair", RedissonKind.FAIR);
    }
  }

  /** Redisson's fenced lock. Immutable. */
  public static final class RedissonFenced extends PeerSource {
    /** For the kit. */
    public RedissonFenced() {
      super("redisson-fenced", RedissonKind.FENCED);
    }
  }

  /** Spring Integration's {@code RedisLockRegistry}, Pub/Sub. Immutable. */
  public static final class SpringRedis extends PeerSource {
    /** For the kit. */
    public SpringRedis() {
      super(
          "spring-redis",
          "spring-integration",
          ServerKind.REDIS,
          SpringRedisLocks.CAPABILITIES,
          (server, few) -> SpringRedisLocks.pubSub(server));
    }
  }

  /** Spring Integration's {@code JdbcLockRegistry}. Immutable. */
  public static final class SpringJdbc extends PeerSource {
    /** For the kit. */
    public SpringJdbc() {
      super(
          "spring-jdbc",
          "spring-integration-jdbc",
          ServerKind.MYSQL,
          Set.of(),
          (server, few) -> new SpringJdbcLocks(server, CONNECTIONS));
    }
  }
}
