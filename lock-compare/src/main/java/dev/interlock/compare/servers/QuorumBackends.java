package dev.interlock.compare.servers;

import dev.interlock.measure.server.ServerAddress;
import dev.interlock.measure.server.ServerKind;
import dev.interlock.measure.server.ServerProbe;
import dev.interlock.tck.TckMembers;
import dev.interlock.testservers.RedisFaults;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestRedis;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Quorums over Redis servers, each of which the kit injures alone, too. */
final class QuorumBackends {
  private static final int MEMBERS = 3;
  private static final int NEED = 2;
  private static final String MEMBER = "redis-hash";

  /** The kit asks for leases of up to a year. */
  private static final String LONGEST_LEASE = "P365D";

  private QuorumBackends() {}

  /** Starts the servers, which are never given ones: one that is given is one. */
  static Backend start(String provider) {
    List<RedisServer> servers = Stream.generate(
            () -> TestRedis.builder().owned().start())
        .limit(MEMBERS)
        .toList();
    String namespace = LockUris.freshNamespace();
    TckMembers members =
        TckMembers.needing(NEED, uris -> uri(provider, uris) + "&namespace=" + namespace);
    for (RedisServer server : servers) {
      members = members.with(server.uri(MEMBER), RedisFaults.of(server));
    }
    List<ServerProbe> probes = servers.stream()
        .map(server -> ServerKind.REDIS.probe(ServerAddress.parse(ServerKind.REDIS, server.uri())))
        .toList();
    return Backend.over(
        members,
        MEMBERS + " x " + MEMBER + ", " + servers.get(0).source(),
        probes,
        namespace,
        () -> servers.forEach(RedisServer::close));
  }

  private static String uri(String provider, List<String> members) {
    return members.stream()
        .map(member -> "member=" + URLEncoder.encode(member, StandardCharsets.UTF_8))
        .collect(Collectors.joining("&", provider + "://?", "&longestLease=" + LONGEST_LEASE));
  }
}
