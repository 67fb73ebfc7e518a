package dev.interlock.measure.server;

import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;

/** Asks a server past the locks, through a connection of its own. Not thread-safe. */
public interface ServerProbe extends AutoCloseable {

  /** Asks all of these, and adds up what they answer. It closes them. */
  static ServerProbe together(List<ServerProbe> probes) {
    return new SeveralProbes(probes);
  }

  /** Returns what the server says that it is, such as {@code Redis 7.0.15}. */
  String version();

  /** Returns how often each command ran since the server started, also from within scripts. */
  Map<String, Long> commands();

  /**
   * Returns how many commands ran, those inside scripts too, but none of this probe's; empty if the
   * server does not tell, or too late.
   */
  OptionalLong totalCommands();

  /** Returns the CPU time that the server has used, in microseconds; empty if it does not tell. */
  OptionalLong cpuMicros();

  /**
   * Tells what the server keeps now.
   *
   * @param name what the keys have in their names, or how the names of the tables begin
   */
  Footprint footprint(String name);

  /**
   * Tells what the server keeps now, each key with its value, or each row, as a text that is the
   * same for the same content on another server of that kind and version. When a key expires is no
   * part of it.
   *
   * @param name as for {@link #footprint}
   */
  Set<String> contents(String name);

  @Override
  void close();

  /**
   * What is kept.
   *
   * @param entries keys or rows
   * @param bytes what the server says that they take up
   */
  record Footprint(long entries, long bytes) {}
}
