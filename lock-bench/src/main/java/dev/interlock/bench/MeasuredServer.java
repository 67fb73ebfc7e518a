package dev.interlock.bench;

import java.util.Map;
import java.util.OptionalLong;

/** A server that is measured on, asked through a connection of its own. Not thread-safe. */
interface MeasuredServer extends AutoCloseable {

  /** Returns what the server says that it is, such as {@code Redis 7.0.15}. */
  String version();

  /** Returns how often each command ran since the server started, also from within scripts. */
  Map<String, Long> commands();

  /** Returns the CPU time that the server has used, in microseconds; empty if it does not tell. */
  OptionalLong cpuMicros();

  /** Disconnects, and removes what was created for the run. */
  @Override
  void close();
}
