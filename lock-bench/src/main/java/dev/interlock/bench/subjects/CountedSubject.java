package dev.interlock.bench.subjects;

import dev.interlock.Locks;
import dev.interlock.ProviderInfo;
import dev.interlock.measure.CountedClient;
import dev.interlock.measure.CountedScenario;
import dev.interlock.measure.OwnCounted;
import dev.interlock.measure.floor.RedisCountedFloor;
import dev.interlock.measure.peers.RedissonCounted;
import dev.interlock.measure.peers.Versions;
import dev.interlock.measure.server.ServerAddress;
import dev.interlock.measure.server.ServerKind;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * A read-write lock or a semaphore that is measured. Immutable.
 *
 * @param id its name among the subjects
 * @param label names it in the report
 * @param kind what its figures are compared as
 * @param library the library with its version
 * @param factory opens a client of it
 */
public record CountedSubject(
    String id,
    String label,
    Subject.Kind kind,
    String library,
    Function<ServerAddress, CountedClient> factory) {

  /** Returns what can be measured in a scenario on a server. */
  public static List<CountedSubject> in(CountedScenario scenario, ServerKind server) {
    List<CountedSubject> all = new ArrayList<>();
    if (server == ServerKind.REDIS) {
      all.add(new CountedSubject(
          Subjects.FLOOR,
          "raw floor: a counter with a limit",
          Subject.Kind.FLOOR,
          Versions.jedis(),
          address -> new RedisCountedFloor(address, scenario)));
      all.add(new CountedSubject(
          RedisSubjects.REDISSON,
          scenario.isSemaphore() ? "Redisson RPermitExpirableSemaphore" : "Redisson RReadWriteLock",
          Subject.Kind.PEER,
          Versions.redisson(),
          address -> RedissonCounted.of(address, scenario)));
    }
    for (ProviderInfo provider : Locks.providers()) {
      if (isOn(server, provider.id()) && provider.capabilities().contains(scenario.needed())) {
        all.add(ours(provider, scenario));
      }
    }
    return List.copyOf(all);
  }

  private static boolean isOn(ServerKind server, String provider) {
    return server == ServerKind.REDIS
        ? provider.startsWith("redis-")
        : provider.equals(server.scheme());
  }

  private static CountedSubject ours(ProviderInfo provider, CountedScenario scenario) {
    String id = provider.id();
    String options = id.startsWith("redis-") ? "" : "?schema=create";
    return new CountedSubject(
        id,
        "Interlock " + id,
        Subject.Kind.OURS,
        "Interlock " + id + " " + provider.version(),
        address -> new OwnCounted(Locks.open(address.uri(id) + options), scenario));
  }
}
