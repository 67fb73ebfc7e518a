package dev.interlock.bench.runs;

import com.sun.management.OperatingSystemMXBean;
import dev.interlock.measure.server.ServerProbe;
import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * What sections cost besides time. On a machine that others use as well, this tells more than
 * throughput does.
 *
 * @param commands how often the server ran each command, also from within scripts
 * @param clientCpuMicros CPU time of this JVM
 * @param serverCpuMicros CPU time of the server; empty if it does not tell
 */
record Effort(Map<String, Long> commands, long clientCpuMicros, OptionalLong serverCpuMicros) {
  private static final OperatingSystemMXBean SYSTEM =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

  static final Effort NONE = new Effort(Map.of(), 0, OptionalLong.of(0));

  /** Reads what has been used up to now. */
  static Effort upToNow(ServerProbe server) {
    return new Effort(server.commands(), SYSTEM.getProcessCpuTime() / 1000, server.cpuMicros());
  }

  /** Returns what was used since an earlier reading. */
  Effort since(Effort before) {
    Map<String, Long> ran = new TreeMap<>();
    commands.forEach((name, calls) -> {
      long more = calls - before.commands.getOrDefault(name, 0L);
      if (more > 0) {
        ran.put(name, more);
      }
    });
    return new Effort(
        ran,
        clientCpuMicros - before.clientCpuMicros,
        combine(serverCpuMicros, before.serverCpuMicros, -1));
  }

  Effort plus(Effort other) {
    Map<String, Long> ran = new TreeMap<>(commands);
    other.commands.forEach((name, calls) -> ran.merge(name, calls, Long::sum));
    return new Effort(
        ran,
        clientCpuMicros + other.clientCpuMicros,
        combine(serverCpuMicros, other.serverCpuMicros, 1));
  }

  private static OptionalLong combine(OptionalLong a, OptionalLong b, int sign) {
    return a.isPresent() && b.isPresent()
        ? OptionalLong.of(a.getAsLong() + sign * b.getAsLong())
        : OptionalLong.empty();
  }
}
