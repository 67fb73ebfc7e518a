package dev.interlock.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.Capability;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockConfig;
import dev.interlock.LockConfigurationException;
import dev.interlock.LockProviderNotFoundException;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import dev.interlock.Option;
import dev.interlock.UnsupportedCapabilityException;
import dev.interlock.spi.BackendContext;
import dev.interlock.spi.ClientId;
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.LockClients;
import dev.interlock.spi.LockProvider;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a provider learns of its client and its settings, by one whose locks are another's. */
@Timeout(60)
class BackendContextTest {
  private static final Option<String> MEMBER = Option.text("member", null).mandatory();
  private static final Option<Boolean> QUEUES = Option.bool("queues", false);

  private static final class Wrapping implements LockProvider {
    @Override
    public String id() {
      return "wrapping";
    }

    @Override
    public Set<Capability> capabilities(LockConfig config) {
      return config.get(QUEUES)
          ? Set.of(Capability.RENEWABLE, Capability.FENCED, Capability.FAIR)
          : Set.of(Capability.RENEWABLE, Capability.FENCED);
    }

    @Override
    public boolean fairByDefault(LockConfig config) {
      return config.get(QUEUES);
    }

    @Override
    public List<Option<?>> options() {
      return List.of(MEMBER, QUEUES);
    }

    @Override
    public LockBackend open(LockConfig config, BackendContext context) {
      return context.open(config.get(MEMBER));
    }
  }

  private static LockClient open(String member, boolean queues) {
    Wrapping provider = new Wrapping();
    LockConfig config = LockConfig.builder(provider.id())
        .set(MEMBER, member)
        .set(QUEUES, queues)
        .build();
    return LockClients.open(provider, config, context -> provider.open(config, context));
  }

  @Test
  @DisplayName("a backend that another provider's URI names holds the locks of that provider")
  void opensAnother() throws InterruptedException {
    String member = "local://?namespace=members";
    try (LockClient client = open(member, false);
        LockClient direct = Locks.open(member);
        Lease lease = client.acquire(LockRequest.of("a"))) {
      assertThat(direct.inspect("a").orElseThrow().fencingToken()).isEqualTo(lease.fencingToken());
      assertThat(direct.tryAcquire(LockRequest.of("a"))).isEmpty();
    }
  }

  @Test
  @DisplayName("the other provider's backend is opened for the same client")
  void keepsTheClient() {
    ClientId client = new ClientId("00000000000000aa", "here:1");
    assertThat(BackendContext.of(client).client()).isEqualTo(client);
  }

  @Test
  @DisplayName("a member that cannot be opened: the error of its own provider")
  void tellsWhatIsWrong() {
    assertThatThrownBy(() -> open("nowhere://h", false))
        .isInstanceOf(LockProviderNotFoundException.class)
        .hasMessageContaining("nowhere");
    assertThatThrownBy(() -> open("local://?colour=red", false))
        .isInstanceOf(LockConfigurationException.class)
        .hasMessageContaining("unknown option 'colour'");
  }

  @Test
  @DisplayName("capabilities and the default fairness depend on the settings")
  void dependsOnSettings() throws InterruptedException {
    LockRequest fair = LockRequest.of("a").fair(true).withWait(Duration.ofSeconds(1));
    try (LockClient plain = open("local://?namespace=plain", false);
        LockClient queueing = open("local://?namespace=queueing", true)) {
      assertThat(plain.capabilities()).doesNotContain(Capability.FAIR);
      assertThatThrownBy(() -> plain.acquire(fair))
          .isInstanceOf(UnsupportedCapabilityException.class);
      assertThat(queueing.capabilities()).contains(Capability.FAIR);
      queueing.acquire(fair).release();
    }
  }
}
