package dev.interlock.bench.subjects;

import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import dev.interlock.ProviderInfo;
import dev.interlock.measure.SectionClient;
import dev.interlock.measure.SectionLock;
import org.jspecify.annotations.Nullable;

/** A provider of Interlock, opened as an application opens it. */
final class InterlockSubject implements SectionClient {
  private final LockClient client;
  private final @Nullable Boolean fair;

  private InterlockSubject(String uri, @Nullable Boolean fair) {
    this.client = Locks.open(uri);
    this.fair = fair;
  }

  /**
   * The locks that a user gets who asks for nothing special.
   *
   * @param options what follows the address in the URI
   */
  static Subject asDefault(ProviderInfo provider, String options) {
    return subject(provider, "", "", null, options);
  }

  /** The locks that are fair, or that allow barging, as asked for. */
  static Subject fair(ProviderInfo provider, boolean fair, String options) {
    return fair
        ? subject(provider, "+fair", ", fair", true, options)
        : subject(provider, "+barging", ", barging", false, options);
  }

  private static Subject subject(
      ProviderInfo provider,
      String idSuffix,
      String labelSuffix,
      @Nullable Boolean fair,
      String options) {
    String id = provider.id();
    return new Subject(
        id + idSuffix,
        "Interlock " + id + labelSuffix,
        Subject.Kind.OURS,
        "Interlock " + id + " " + provider.version(),
        (server, threads) -> new InterlockSubject(server.uri(id) + options, fair));
  }

  /** The locks of a URI. */
  static SectionClient open(String uri) {
    return new InterlockSubject(uri, null);
  }

  /** The in-JVM provider, for which there is no server. */
  static Subject local(ProviderInfo provider) {
    return new Subject(
        provider.id(),
        "Interlock " + provider.id(),
        Subject.Kind.OURS,
        "Interlock " + provider.id() + " " + provider.version(),
        (server, threads) -> new InterlockSubject("local://", null));
  }

  @Override
  public SectionLock lock(String name) {
    return fair == null
        ? SectionLock.of(client.lock(name))
        : SectionLock.of(client, LockRequest.of(name).fair(fair));
  }

  @Override
  public void close() {
    client.close();
  }
}
