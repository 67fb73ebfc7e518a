package dev.interlock.compare.docs;

import static dev.interlock.Capability.FENCED;
import static dev.interlock.Capability.RENEWABLE;

import dev.interlock.Capability;
import dev.interlock.HoldInfo;
import dev.interlock.HostPort;
import dev.interlock.LockConfig;
import dev.interlock.Option;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.BackendContext;
import dev.interlock.spi.ClientId;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.LockProvider;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import dev.interlock.tck.LockTck;
import dev.interlock.tck.TckBackend;
import dev.interlock.tck.TckMembers;
import dev.interlock.tck.TckServer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The samples of lock-tck/GUIDE.md. They only compile: there is no such store. */
@SuppressWarnings({"ClassCanBeStatic", "MissingOverride", "UnusedMethod", "UnusedNestedClass"})
final class GuideSamples {
  private static final Acme ACME = new Acme();
  private static final Option<List<HostPort>> SERVER = Option.hosts(null);

  private GuideSamples() {}

  public final class AcmeProvider implements LockProvider {
    public String id() {
      return "acme";
    }

    public Set<Capability> capabilities(LockConfig config) {
      return Set.of(RENEWABLE, FENCED);
    }

    public List<Option<?>> options() {
      return List.of(SERVER);
    }

    public LockBackend open(LockConfig config, BackendContext context) {
      return new AcmeBackend(config, context.client());
    }
  }

  class AcmeLockTckTest extends LockTck {
    @Override
    protected TckBackend backend() {
      return TckBackend.at("acme://" + ACME.address())
          .inspectWith(ACME::isLocked) // compares what inspect says with the store itself
          .countWith(ACME::rows) // without it, M3 (nothing grows) is INCONCLUSIVE
          .timeScale(2.0) // for slow machines
          .waive("W11", "ACME-117: no limit yet");
    }
  }

  abstract class InWholeSeconds implements LockProvider {
    @Override
    public Duration leaseGranularity(LockConfig config) {
      return Duration.ofSeconds(1);
    }
  }

  static TckBackend overMembers(
      TckServer faultsOfOne, TckServer faultsOfTwo, TckServer faultsOfThree) {
    TckMembers members = TckMembers.needing(
            2, uris -> "acme://?member=" + String.join("&member=", uris))
        .with("redis-hash://one", faultsOfOne)
        .with("redis-hash://two", faultsOfTwo)
        .with("redis-hash://three", faultsOfThree);
    return TckBackend.over(members);
  }

  /** What the guide's reader has. */
  private static final class Acme {
    String address() {
      return "localhost:4711";
    }

    boolean isLocked(String name) {
      return name.isEmpty();
    }

    long rows() {
      return 0;
    }
  }

  private record AcmeBackend(LockConfig config, ClientId client) implements LockBackend {
    @Override
    public AttemptResult attempt(Attempt attempt) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void renew(List<Renewal> batch, RenewalAnswers answers) {}

    @Override
    public boolean release(String name, HoldId id) {
      return false;
    }

    @Override
    public void abandon(String name, HoldId id) {}

    @Override
    public Optional<HoldInfo> inspect(String name) {
      return Optional.empty();
    }

    @Override
    public boolean forceRelease(String name, long fencingToken) {
      return false;
    }

    @Override
    public String server() {
      return ACME.address();
    }

    @Override
    public void close() {}
  }
}
