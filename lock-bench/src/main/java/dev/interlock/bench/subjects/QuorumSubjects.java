package dev.interlock.bench.subjects;

import dev.interlock.Locks;
import dev.interlock.ProviderInfo;
import dev.interlock.measure.floor.RedisMajorityFloor;
import dev.interlock.measure.peers.RedissonMultiLocks;
import dev.interlock.measure.peers.Versions;
import dev.interlock.measure.server.ServerAddress;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What is measured on three Redis servers: quorums of them and Redisson's multi-lock, and beside
 * them what the same libraries do with one, and the floors of one and of three.
 */
public final class QuorumSubjects {
  private static final String PREFIX = "quorum-";
  private static final Set<String> ON_ONE = Set.of(
      Subjects.FLOOR, RedisSubjects.REDISSON, RedisSubjects.SETNX, "redis-hash", "redis-hash+fair");

  private QuorumSubjects() {}

  /**
   * Returns all of them. Each quorum has a namespace of its own, for a server can be a member of
   * one quorum only in each.
   *
   * @param others the servers beside the first
   */
  public static List<Subject> all(List<ServerAddress> others) {
    List<Subject> all = new ArrayList<>(RedisSubjects.all());
    all.removeIf(subject -> !ON_ONE.contains(subject.id()));
    all.add(floor("floor-1", "raw connection", List.of()));
    all.add(floor("floor-3", "raw connections to 3, side by side", others));
    all.add(new Subject(
        "redisson-multi",
        "Redisson multi-lock over 3",
        Subject.Kind.PEER,
        Versions.redisson(),
        (first, threads) -> new RedissonMultiLocks(with(first, others))));
    for (ProviderInfo provider : Locks.providers()) {
      if (ON_ONE.contains(provider.id())) {
        String id = PREFIX + provider.id().substring("redis-".length());
        all.add(new Subject(
            id,
            "Interlock quorum of 3 " + provider.id(),
            Subject.Kind.OURS,
            "Interlock quorum " + provider.version(),
            (first, threads) -> InterlockSubject.open(
                uri(provider.id(), with(first, others)) + "&namespace=" + id)));
      }
    }
    return List.copyOf(all);
  }

  /** What the quorums of three are to be seen against: one thread, and no more than it must do. */
  private static Subject floor(String id, String label, List<ServerAddress> others) {
    return new Subject(
        id,
        label,
        Subject.Kind.FLOOR,
        Versions.jedis(),
        (first, threads) -> new RedisMajorityFloor(with(first, others)));
  }

  /** Whether it needs a majority of the servers only. */
  public static boolean isQuorum(Subject subject) {
    return subject.id().startsWith(PREFIX);
  }

  private static List<ServerAddress> with(ServerAddress first, List<ServerAddress> others) {
    return Stream.concat(Stream.of(first), others.stream()).toList();
  }

  private static String uri(String provider, List<ServerAddress> servers) {
    return servers.stream()
        .map(server -> "member=" + URLEncoder.encode(server.uri(provider), StandardCharsets.UTF_8))
        .collect(Collectors.joining("&", "quorum://?", ""));
  }
}
