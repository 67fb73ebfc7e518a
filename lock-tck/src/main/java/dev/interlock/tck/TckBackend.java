package dev.interlock.tck;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The backend to check, and how. Immutable: each method returns a changed copy. */
public final class TckBackend {
  private final String uri;
  private final @Nullable Predicate<String> inspector;
  private final @Nullable LongSupplier counter;
  private final double timeScale;
  private final Map<String, String> waivers;
  private final boolean oneJvm;
  private final @Nullable String server;
  private final @Nullable TckServer control;
  private final @Nullable Class<? extends ClientSource> source;
  private final @Nullable TckMembers members;

  private TckBackend(
      String uri,
      @Nullable Predicate<String> inspector,
      @Nullable LongSupplier counter,
      double timeScale,
      Map<String, String> waivers,
      boolean oneJvm,
      @Nullable String server,
      @Nullable TckServer control,
      @Nullable Class<? extends ClientSource> source,
      @Nullable TckMembers members) {
    this.uri = uri;
    this.inspector = inspector;
    this.counter = counter;
    this.timeScale = timeScale;
    this.waivers = waivers;
    this.oneJvm = oneJvm;
    this.server = server;
    this.control = control;
    this.source = source;
    this.members = members;
  }

  /**
   * Starts from a URI.
   *
   * @param uri as for {@link dev.interlock.Locks#open(String)}; opened many times, in this JVM and
   *     in JVMs that the kit forks with the class path of this one
   * @return a backend with the defaults
   */
  public static TckBackend at(String uri) {
    return new TckBackend(
        Objects.requireNonNull(uri, "uri"),
        null,
        null,
        1.0,
        Map.of(),
        false,
        null,
        null,
        null,
        null);
  }

  /**
   * Starts from the members of a backend that is made of several servers. The kit injures one or
   * some of them for the rules Q, and all of them at once for the others.
   *
   * @param members the servers
   * @return a backend with the defaults
   */
  public static TckBackend over(TckMembers members) {
    String uri = members.uri(members.all().stream().map(TckMembers.Member::uri).toList());
    return new TckBackend(
        uri, null, null, 1.0, Map.of(), false, null, new AllMembers(members), null, members);
  }

  /**
   * Lets the kit ask the server whether a lock is held, past the provider. Where there is such a
   * predicate, the kit compares what the provider says with it.
   *
   * @param isLockedOnServer takes a lock's name
   * @return the changed copy
   */
  public TckBackend inspectWith(Predicate<String> isLockedOnServer) {
    return new TckBackend(
        uri,
        isLockedOnServer,
        counter,
        timeScale,
        waivers,
        oneJvm,
        server,
        control,
        source,
        members);
  }

  /**
   * Lets the kit count what the server keeps, past the provider: keys, rows, or whatever could
   * grow. Without it rule M3 cannot be judged, unless the backend's state is in this JVM.
   *
   * @param entriesOnServer counts all entries
   * @return the changed copy
   */
  public TckBackend countWith(LongSupplier entriesOnServer) {
    return new TckBackend(
        uri,
        inspector,
        entriesOnServer,
        timeScale,
        waivers,
        oneJvm,
        server,
        control,
        source,
        members);
  }

  /**
   * Stretches the leases, waits and time limits of the kit, for slow machines. What a distant
   * server needs beside that the kit finds out: see {@link TckScales}.
   *
   * @param factor more than zero; 2.0 allows twice the time
   * @return the changed copy
   * @throws IllegalArgumentException if it is not a positive number
   */
  public TckBackend timeScale(double factor) {
    if (!(factor > 0) || Double.isInfinite(factor)) {
      throw new IllegalArgumentException("time scale is " + factor + ": it must be positive");
    }
    return new TckBackend(
        uri, inspector, counter, factor, waivers, oneJvm, server, control, source, members);
  }

  /**
   * Sets a rule aside that is known to fail. It is run all the same, and reported
   * {@link Verdict#WAIVED} with this reason, never as passed.
   *
   * @param rule the rule's id
   * @param reason why, for the reader of the report
   * @return the changed copy
   * @throws IllegalArgumentException if there is no such rule, or the reason is blank
   */
  public TckBackend waive(String rule, String reason) {
    if (Rules.find(rule).isEmpty()) {
      throw new IllegalArgumentException("there is no rule " + rule + " to waive");
    }
    if (reason.isBlank()) {
      throw new IllegalArgumentException("a waiver of " + rule + " needs a reason");
    }
    Map<String, String> more = new LinkedHashMap<>(waivers);
    more.put(rule, reason);
    return new TckBackend(
        uri,
        inspector,
        counter,
        timeScale,
        Collections.unmodifiableMap(more),
        oneJvm,
        server,
        control,
        source,
        members);
  }

  /**
   * Declares that the backend's state is private to a JVM: several clients in one JVM then stand
   * for several JVMs.
   *
   * @return the changed copy
   */
  public TckBackend inOneJvm() {
    return new TckBackend(
        uri, inspector, counter, timeScale, waivers, true, server, control, source, members);
  }

  /**
   * Lets the kit injure the server. Without it, rules about a server that stalls, restarts or loses
   * its state are {@link Verdict#INCONCLUSIVE}. The server must be the one that the URI leads to,
   * and nothing else may need it during the run.
   *
   * @param server what can be done to it
   * @return the changed copy
   */
  public TckBackend faults(TckServer server) {
    return new TckBackend(
        uri, inspector, counter, timeScale, waivers, oneJvm, this.server, server, source, members);
  }

  /**
   * Names the server for the report, in place of what the provider says of it.
   *
   * @param description product and version
   * @return the changed copy
   */
  public TckBackend server(String description) {
    return new TckBackend(
        uri, inspector, counter, timeScale, waivers, oneJvm, description, control, source, members);
  }

  /**
   * Reaches a lock that has an API of its own, instead of a provider. Only rules that this API can
   * express are run; all others are {@link Verdict#NOT_CLAIMED}.
   *
   * @param clients opens clients from the URI; public, with a public constructor without arguments
   * @return the changed copy
   */
  public TckBackend openWith(Class<? extends ClientSource> clients) {
    return new TckBackend(
        uri, inspector, counter, timeScale, waivers, oneJvm, server, control, clients, members);
  }

  /**
   * Returns the URI.
   *
   * @return the URI, which may carry a password
   */
  public String uri() {
    return uri;
  }

  /**
   * Returns the way past the provider.
   *
   * @return empty if there is none
   */
  public Optional<Predicate<String>> inspector() {
    return Optional.ofNullable(inspector);
  }

  /**
   * Returns the way to count what the server keeps.
   *
   * @return empty if there is none
   */
  public Optional<LongSupplier> counter() {
    return Optional.ofNullable(counter);
  }

  /**
   * Returns the factor on leases, waits and time limits.
   *
   * @return 1.0 unless it was set
   */
  public double timeScale() {
    return timeScale;
  }

  /**
   * Returns the rules that are set aside.
   *
   * @return rule ids and reasons
   */
  public Map<String, String> waivers() {
    return waivers;
  }

  /**
   * Tells whether clients in one JVM stand for several JVMs.
   *
   * @return true after {@link #inOneJvm()}
   */
  public boolean isInOneJvm() {
    return oneJvm;
  }

  /**
   * Returns the name given to the server.
   *
   * @return empty if the provider is to be asked
   */
  public Optional<String> server() {
    return Optional.ofNullable(server);
  }

  /**
   * Returns the way to injure the server.
   *
   * @return empty if there is none
   */
  public Optional<TckServer> control() {
    return Optional.ofNullable(control);
  }

  /**
   * Returns what opens the clients in place of a provider.
   *
   * @return empty if the URI's provider does
   */
  public Optional<Class<? extends ClientSource>> source() {
    return Optional.ofNullable(source);
  }

  /**
   * Returns the servers that the backend is made of.
   *
   * @return empty if it is one server
   */
  public Optional<TckMembers> members() {
    return Optional.ofNullable(members);
  }

  /** Prints the scheme only: the rest of the URI may carry a password. */
  @Override
  public String toString() {
    int colon = uri.indexOf(':');
    return "TckBackend[" + (colon < 0 ? "malformed" : uri.substring(0, colon)) + "]";
  }
}
