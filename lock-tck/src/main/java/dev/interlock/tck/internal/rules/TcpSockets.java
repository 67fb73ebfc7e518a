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
 * Counts the TCP connections of this JVM by what Linux tells in /proc. Descriptors alone will not
 * do: the JDK keeps a placeholder socket in the place of one that it is about to close.
 */
final class TcpSockets {
  private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
  private static final List<Path> TABLES =
      List.of(Path.of("/proc/self/net/tcp"), Path.of("/proc/self/net/tcp6"));
  private static final Pattern SOCKET = Pattern.compile("socket:\\[([0-9]+)]");
  private static final Pattern BLANKS = Pattern.compile(" +");
  private static final int INODE_COLUMN = 9;

  private TcpSockets() {}

  /** Returns 0 where there is no /proc. */
  static int count() {
    Set<String> connections = new HashSet<>();
    for (Path table : TABLES) {
      addInodes(table, connections);
    }
    connections.retainAll(ownInodes());
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

  private static Set<String> ownInodes() {
    Set<String> inodes = new HashSet<>();
    if (!Files.isDirectory(DESCRIPTORS)) {
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
