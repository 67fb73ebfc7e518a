package dev.interlock.internal.opening;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.Capability;
import dev.interlock.LockClient;
import dev.interlock.LockConfig;
import dev.interlock.LockConfigurationException;
import dev.interlock.internal.engine.StubProvider;
import dev.interlock.spi.BackendContext;
import dev.interlock.spi.BackendEvents;
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.LockClients;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ClientFactoryTest {
  private static final LockConfig CONFIG = LockConfig.builder("stub").build();

  private static LockClient open(StubProvider provider) {
    return LockClients.open(provider, CONFIG, context -> provider.open(CONFIG, context));
  }

  /** Lacks a library, which it finds out when it is to hear of events. */
  private static final class Incomplete extends StubProvider {
    boolean closed;

    @Override
    public void subscribe(BackendEvents events) {
      throw new NoClassDefFoundError("a/Library");
    }

    @Override
    public void close() {
      closed = true;
    }
  }

  @Test
  @DisplayName("a backend that lacks a library once it is open is closed, and the message says so")
  void closesWhatCannotBeUsed() {
    Incomplete incomplete = new Incomplete();
    assertThatThrownBy(() -> open(incomplete))
        .isInstanceOf(LockConfigurationException.class)
        .hasMessageContaining("A library that the provider 'stub' uses is missing")
        .hasCauseInstanceOf(NoClassDefFoundError.class);
    assertThat(incomplete.closed).isTrue();
  }

  /** Notes whether the thread that opens it is interrupted. */
  private static final class Observant extends StubProvider {
    final List<Boolean> interrupted = new ArrayList<>();

    @Override
    public LockBackend open(LockConfig config, BackendContext context) {
      interrupted.add(Thread.currentThread().isInterrupted());
      return this;
    }

    @Override
    public void subscribe(BackendEvents events) {
      interrupted.add(Thread.currentThread().isInterrupted());
    }
  }

  @Test
  @DisplayName("an interrupted thread opens a client like any other, and stays interrupted")
  void keepsInterruptsFromOpening() {
    Observant observant = new Observant();
    Thread.currentThread().interrupt();
    LockClient client = open(observant);
    assertThat(Thread.interrupted()).isTrue();
    client.close();
    assertThat(observant.interrupted).containsExactly(false, false);
  }

  @Test
  @DisplayName("what a client promises is not for its users to change")
  void capabilitiesAreFixed() {
    try (LockClient client = open(new StubProvider())) {
      Set<Capability> promised = client.capabilities();
      assertThatThrownBy(promised::clear).isInstanceOf(UnsupportedOperationException.class);
      assertThat(client.capabilities()).contains(Capability.FENCED);
    }
  }
}
