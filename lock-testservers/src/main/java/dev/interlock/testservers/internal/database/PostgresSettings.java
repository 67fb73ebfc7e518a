package dev.interlock.testservers.internal.database;

import java.util.List;

/**
 * What a server is asked for.
 *
 * @param options for the command line
 * @param owned whether it is to be a server of this test's own
 * @param process whether it is to be a process on this machine
 * @param followed the data directory of the server that it follows; empty for none
 */
public record PostgresSettings(
    List<String> options, boolean owned, boolean process, String followed) {

  /** Whether any server will do. */
  boolean asksForNothing() {
    return options.isEmpty() && !owned;
  }
}
