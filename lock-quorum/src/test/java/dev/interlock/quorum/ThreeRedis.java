package dev.interlock.quorum;

import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestRedis;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Three Redis servers that know nothing of one another, and keep nothing on their disks. */
final class ThreeRedis implements AutoCloseable {
  private final List<RedisServer> servers;

  ThreeRedis() {
    servers =
        Stream.generate(() -> TestRedis.builder().owned().start()).limit(3).toList();
  }

  RedisServer server(int place) {
    return servers.get(place);
  }

  String uri(String provider, String options) {
    return quorum(
        servers.stream().map(server -> server.uri(provider) + "?timeout=PT1S").toList(), options);
  }

  /** The quorum to one who reaches a server through a proxy. */
  String uri(String provider, int place, String proxy) {
    return uri(provider, place, proxy, "");
  }

  /** The same with further options. */
  String uri(String provider, int place, String proxy, String options) {
    List<String> members = IntStream.range(0, servers.size())
        .mapToObj(i -> i == place ? provider + "://" + proxy : server(i).uri(provider))
        .map(uri -> uri + "?timeout=PT1S")
        .toList();
    return quorum(members, options);
  }

  static String quorum(List<String> members, String options) {
    return "quorum://?"
        + members.stream()
            .map(uri -> "member=" + URLEncoder.encode(uri, StandardCharsets.UTF_8))
            .collect(Collectors.joining("&"))
        + options;
  }

  @Override
  public void close() {
    servers.forEach(RedisServer::close);
  }
}
