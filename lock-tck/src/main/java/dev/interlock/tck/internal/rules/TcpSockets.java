package dev.interlock.tck.internal.rules;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Tells the TCP connections of this JVM by what Linux says in /proc. Descriptors alone will not do:
 * the JDK keeps a placeholder socket in the place of one that it is about to close. The tables of
 * connections alone will not do either: they are read in pieces, and a connection of anybody on
 * this host that ends meanwhile can hide another one. So what there was before is known by
 * descriptors, what came since by both.
 */
final class TcpSockets {
  private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
  private static final List<Path> TABLES =
      List.of(Path.of("/proc/self/net/tcp"), Path.of("/proc/self/net/tcp6"));
  private static final Pattern SOCKET = Pattern.compile("socket:\\[([0-9]+)]");
  private static final Pattern BLANKS = Pattern.compile(" +");
  private static final int INODE_COLUMN = 9;

  private TcpSockets() {}

  /** Tells whether the connections of this JVM can be seen at all. */
  static boolean areSeen() {
    return Files.isDirectory(DESCRIPTORS);
  }

  /** Returns the inodes of all sockets of this JVM, nothing where there is no /proc. */
  static Set<String> open() {
    Set<String> inodes = new HashSet<>();
    if (!areSeen()) {
      return inodes;
    }
    try (DirectoryStream<Path> all = Files.newDirectoryStream(DESCRIPTORS)) {
      for (Path descriptor : all) {
        addInode(descriptor, inodes);
      }
    } catch (IOException e) {
      // Not Linux.
    }
    return inodes;
  }

  /** Counts the TCP connections of this JVM that are not among these sockets. */
  static int countBeside(Set<String> before) {
    Set<String> connections = new HashSet<>();
    for (Path table : TABLES) {
      addInodes(table, connections);
    }
    connections.retainAll(open());
    connections.removeAll(before);
    return connections.size();
  }

  private static void addInodes(Path table, Set<String> inodes) {
    try {
      for (String line :
          Files.readString(table, StandardCharsets.US_ASCII).lines().toList()) {
        List<String> columns = BLANKS.splitAsStream(line.strip()).toList();
        if (columns.size() > INODE_COLUMN) {
          inodes.add(columns.get(INODE_COLUMN));
        }
      }
    } catch (IOException e) {
      // Not Linux, or no IPv6.
    }
  }

  private static void addInode(Path descriptor, Set<String> inodes) {
    try {
      Matcher socket = SOCKET.matcher(Files.readSymbolicLink(descriptor).toString());
      if (socket.matches()) {
        inodes.add(socket.group(1));
      }
    } catch (IOException e) {
      // Closed between the listing and the look.
    }
  }
}
