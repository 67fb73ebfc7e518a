package dev.interlock.tck.internal.fault;

import dev.interlock.LockConfig;
import dev.interlock.Option;
import dev.interlock.spi.LockClients;
import dev.interlock.tck.TckBackend;
import dev.interlock.tck.TckMembers;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Where the connections of a backend's clients lead to, and how to lead them through a proxy.
 *
 * @param ends the servers, one for each member of a backend that is made of several
 * @param joiner makes the URI of the whole from the URIs of the ends
 */
public record Route(List<Endpoint> ends, Function<List<String>, String> joiner) {

  /** Finds the servers; empty if one of them is not at one host with a known port. */
  public static Optional<Route> of(TckBackend backend) {
    Optional<TckMembers> members = backend.members();
    List<String> uris = members
        .map(several -> several.all().stream().map(TckMembers.Member::uri).toList())
        .orElseGet(() -> List.of(backend.uri()));
    List<Endpoint> ends = new ArrayList<>();
    for (String uri : uris) {
      // Another library's lock has no provider that knows a default port.
      List<Option<?>> options = backend.source().isPresent()
          ? List.of()
          : LockClients.provider(LockConfig.parse(uri)).options();
      Endpoint.of(uri, options).ifPresent(ends::add);
    }
    Function<List<String>, String> joiner = members
        .<Function<List<String>, String>>map(several -> several::uri)
        .orElse(all -> all.get(0));
    return ends.size() == uris.size()
        ? Optional.of(new Route(List.copyOf(ends), joiner))
        : Optional.empty();
  }

  /** Returns the URI with other addresses, one for each end. */
  public String uriAt(List<String> addresses) {
    List<String> uris = new ArrayList<>();
    for (int i = 0; i < ends.size(); i++) {
      uris.add(ends.get(i).uriAt(addresses.get(i)));
    }
    return joiner.apply(uris);
  }
}
