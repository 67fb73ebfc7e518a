package dev.interlock.bench.subjects;

import dev.interlock.Capability;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import dev.interlock.ProviderInfo;
import dev.interlock.measure.CountedClient;
import dev.interlock.measure.CountedScenario;
import dev.interlock.measure.SectionLock;
import dev.interlock.measure.peers.RedissonCounted;
import dev.interlock.measure.peers.Versions;
import dev.interlock.measure.server.ServerAddress;
import dev.interlock.measure.server.ServerKind;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
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
    boolean permits = scenario.equals(CountedScenario.SEMAPHORE);
    List<CountedSubject> all = new ArrayList<>();
    if (server == ServerKind.REDIS) {
      all.add(new CountedSubject(
          RedisSubjects.REDISSON,
          permits ? "Redisson RPermitExpirableSemaphore" : "Redisson RReadWriteLock",
          Subject.Kind.PEER,
          Versions.redisson(),
          permits
              ? address -> RedissonCounted.semaphore(address, scenario.capacity())
              : RedissonCounted::readWrite));
    }
    Capability needed = permits ? Capability.PERMITS : Capability.SHARED;
    for (ProviderInfo provider : Locks.providers()) {
      if (isOn(server, provider.id()) && provider.capabilities().contains(needed)) {
        all.add(ours(
            provider, permits ? (client, name) -> permit(client, name, scenario) : Ours::parts));
      }
    }
    return List.copyOf(all);
  }

  private static boolean isOn(ServerKind server, String provider) {
    return server == ServerKind.REDIS
        ? provider.startsWith("redis-")
        : provider.equals(server.scheme());
  }

  private static List<SectionLock> permit(
      LockClient client, String name, CountedScenario scenario) {
    return List.of(SectionLock.of(client, LockRequest.of(name).permits(1, scenario.capacity())));
  }

  private static CountedSubject ours(
      ProviderInfo provider, BiFunction<LockClient, String, List<SectionLock>> ways) {
    String id = provider.id();
    String options = id.startsWith("redis-") ? "" : "?schema=create";
    return new CountedSubject(
        id,
        "Interlock " + id,
        Subject.Kind.OURS,
        "Interlock " + id + " " + provider.version(),
        address -> new Ours(Locks.open(address.uri(id) + options), ways));
  }

  private record Ours(LockClient client, BiFunction<LockClient, String, List<SectionLock>> ways)
      implements CountedClient {
    static List<SectionLock> parts(LockClient client, String name) {
      var lock = client.readWriteLock(name);
      return List.of(SectionLock.of(lock.readLock()), SectionLock.of(lock.writeLock()));
    }

    @Override
    public List<SectionLock> ways(String name) {
      return ways.apply(client, name);
    }

    @Override
    public void close() {
      client.close();
    }
  }
}
