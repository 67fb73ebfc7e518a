package dev.interlock.tck.internal.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.Capability;
import dev.interlock.LockConfigurationException;
import dev.interlock.LockProviderNotFoundException;
import dev.interlock.tck.TckBackend;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class TargetTest {
  private static Set<Capability> declared(String uri) {
    return Target.of(TckBackend.at(uri)).info().capabilities();
  }

  @Test
  @DisplayName("a provider is judged by what it declares with the settings under test")
  void asksWithSettings() {
    assertThat(declared("teststore://localhost:1")).doesNotContain(Capability.FAIR);
    assertThat(declared("teststore://localhost:1?queue=true"))
        .contains(Capability.FAIR, Capability.RENEWABLE);
  }

  @Test
  @DisplayName("wrong settings and unknown providers are told before any rule runs")
  void tellsWrongSettings() {
    assertThatThrownBy(() -> declared("teststore://localhost:1?queue=perhaps"))
        .isInstanceOf(LockConfigurationException.class);
    assertThatThrownBy(() -> declared("nosuch://localhost:1"))
        .isInstanceOf(LockProviderNotFoundException.class);
  }
}
