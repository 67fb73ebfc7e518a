package dev.interlock.quorum;

import dev.interlock.LockConfig;
import dev.interlock.quorum.internal.member.Membership;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestRedis;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Three Redis servers that know nothing of one another, and keep nothing on their disks. */
public final class ThreeRedis implements AutoCloseable {
  private final List<RedisServer> servers;

  public ThreeRedis() {
    servers =
        Stream.generate(() -> TestRedis.builder().owned().start()).limit(3).toList();
  }

  public RedisServer server(int place) {
    return servers.get(place);
  }

  public String uri(String provider, String options) {
    return quorum(
        servers.stream().map(server -> server.uri(provider) + "?timeout=PT1S").toList(), options);
  }

  /** The quorum to one who reaches a server through a proxy. */
  public String uri(String provider, int place, String proxy) {
    return uri(provider, place, proxy, "");
  }

  /** The same with further options. */
  public String uri(String provider, int place, String proxy, String options) {
    List<String> members = IntStream.range(0, servers.size())
        .mapToObj(i -> i == place ? provider + "://" + proxy : server(i).uri(provider))
        .map(uri -> uri + "?timeout=PT1S")
        .toList();
    return quorum(members, options);
  }

  public static String quorum(List<String> members, String options) {
    return "quorum://?"
        + members.stream()
            .map(uri -> "member=" + URLEncoder.encode(uri, StandardCharsets.UTF_8))
            .collect(Collectors.joining("&"))
        + options;
  }

  /** What the settings of a quorum say of its members. */
  public static Membership membership(String uri) {
    return Settings.read(LockConfig.parse(uri), null);
  }

  @Override
  public void close() {
    servers.forEach(RedisServer::close);
  }
}
