package dev.interlock.measure.server;

import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Asks several servers that one lock uses, and adds up what they answer. */
final class SeveralProbes implements ServerProbe {
  private final List<ServerProbe> probes;

  SeveralProbes(List<ServerProbe> probes) {
    this.probes = List.copyOf(probes);
  }

  @Override
  public String version() {
    return probes.stream().map(ServerProbe::version).distinct().collect(Collectors.joining(", "));
  }

  @Override
  public Map<String, Long> commands() {
    Map<String, Long> all = new TreeMap<>();
    probes.forEach(
        probe -> probe.commands().forEach((name, calls) -> all.merge(name, calls, Long::sum)));
    return all;
  }

  @Override
  public OptionalLong totalCommands() {
    return sum(ServerProbe::totalCommands);
  }

  @Override
  public OptionalLong cpuMicros() {
    return sum(ServerProbe::cpuMicros);
  }

  /** A part of it would look like all of it. */
  private OptionalLong sum(Function<ServerProbe, OptionalLong> figure) {
    long sum = 0;
    for (ServerProbe probe : probes) {
      OptionalLong one = figure.apply(probe);
      if (one.isEmpty()) {
        return one;
      }
      sum += one.getAsLong();
    }
    return OptionalLong.of(sum);
  }

  @Override
  public Footprint footprint(String name) {
    List<Footprint> each = probes.stream().map(probe -> probe.footprint(name)).toList();
    return new Footprint(
        each.stream().mapToLong(Footprint::entries).sum(),
        each.stream().mapToLong(Footprint::bytes).sum());
  }

  @Override
  public Set<String> contents(String name) {
    return probes.stream()
        .flatMap(probe -> probe.contents(name).stream())
        .collect(Collectors.toSet());
  }

  @Override
  public void close() {
    probes.forEach(ServerProbe::close);
  }
}
