package dev.interlock.compare.servers;

import dev.interlock.measure.server.ServerProbe;
import dev.interlock.tck.TckBackend;
import dev.interlock.tck.TckMembers;
import dev.interlock.tck.TckServer;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Where a lock is while it is compared.
 *
 * @param uri opens a client; may carry a password
 * @param origin where the server comes from, for the report
 * @param isInOneJvm whether the state is private to this JVM
 * @param probe asks the server past the lock
 * @param names what the keys have in their names, or how the names of the tables begin
 * @param faults injures the server
 * @param waivers rules that the lock is known to break on this server, with reasons
 * @param members the servers, if the lock is made of several
 * @param admin does what only the owner of a server may do
 * @param closer ends the server, or what is connected to it
 */
public record Backend(
    String uri,
    String origin,
    boolean isInOneJvm,
    Optional<ServerProbe> probe,
    String names,
    Optional<TckServer> faults,
    Map<String, String> waivers,
    Optional<TckMembers> members,
    Admin admin,
    Runnable closer)
    implements AutoCloseable {
  /** The origin of a server that the user named. */
  public static final String GIVEN = "given URI";

  /** A lock of one server. */
  Backend(
      String uri,
      String origin,
      boolean isInOneJvm,
      Optional<ServerProbe> probe,
      String names,
      Optional<TckServer> faults,
      Map<String, String> waivers,
      Admin admin,
      Runnable closer) {
    this(uri, origin, isInOneJvm, probe, names, faults, waivers, Optional.empty(), admin, closer);
  }

  /** A provider without a server. */
  public static Backend inThisJvm(String uri) {
    return new Backend(
        uri,
        "this JVM",
        true,
        Optional.empty(),
        "",
        Optional.empty(),
        Map.of(),
        Admin.NONE,
        () -> {});
  }

  /** A given server that is used through the provider only. */
  static Backend behindProvider(String uri) {
    return new Backend(
        uri, GIVEN, false, Optional.empty(), "", Optional.empty(), Map.of(), Admin.NONE, () -> {});
  }

  /** A lock over several servers. What is done to its server is done to all of them. */
  static Backend over(
      TckMembers members, String origin, List<ServerProbe> probes, String names, Runnable closer) {
    TckBackend target = TckBackend.over(members);
    return new Backend(
        target.uri(),
        origin,
        false,
        Optional.of(ServerProbe.together(probes)),
        names,
        target.control(),
        Map.of(),
        Optional.of(members),
        Admin.NONE,
        closer);
  }

  /** What the kit is to judge. */
  public TckBackend target() {
    TckBackend target = members.map(TckBackend::over).orElseGet(() -> TckBackend.at(uri));
    for (Map.Entry<String, String> waiver : waivers.entrySet()) {
      target = target.waive(waiver.getKey(), waiver.getValue());
    }
    if (isInOneJvm) {
      return target.inOneJvm();
    }
    TckBackend injured = faults.map(target::faults).orElse(target);
    return probe
        .map(asked -> injured.countWith(() -> asked.footprint(names).entries()))
        .orElse(injured);
  }

  @Override
  public void close() {
    probe.ifPresent(ServerProbe::close);
    closer.run();
  }
}
