package dev.interlock.testservers;

import java.util.Arrays;
import java.util.List;

/**
 * A line of what CLUSTER NODES says.
 *
 * @param id 40 hexadecimal digits
 * @param port where it serves clients
 * @param flags such as myself, master, slave, fail
 * @param master the id of its master, or a hyphen
 * @param epoch of its claim to its slots; of two claims the one with the larger epoch counts
 * @param slots such as 0-5460
 */
record ClusterNode(
    String id, int port, List<String> flags, String master, long epoch, List<String> slots) {

  static List<ClusterNode> seenBy(RedisServer server) {
    return server.command("CLUSTER", "NODES").lines().map(ClusterNode::parse).toList();
  }

  static String idOf(RedisServer server) {
    return server.command("CLUSTER", "MYID");
  }

  private static ClusterNode parse(String line) {
    String[] words = line.split(" ");
    String address = words[1].substring(0, words[1].indexOf('@'));
    return new ClusterNode(
        words[0],
        Integer.parseInt(address.substring(address.lastIndexOf(':') + 1)),
        List.of(words[2].split(",")),
        words[3],
        Long.parseLong(words[6]),
        Arrays.asList(words).subList(8, words.length));
  }

  boolean isMaster() {
    return flags.contains("master");
  }

  boolean serves(int slot) {
    return slots.stream()
        .filter(range -> !range.startsWith("["))
        .map(range -> range.split("-"))
        .anyMatch(ends ->
            Integer.parseInt(ends[0]) <= slot && slot <= Integer.parseInt(ends[ends.length - 1]));
  }
}
