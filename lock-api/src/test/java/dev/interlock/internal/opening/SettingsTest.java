package dev.interlock.internal.opening;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.Capability;
import dev.interlock.CommonOptions;
import dev.interlock.HostPort;
import dev.interlock.LockConfig;
import dev.interlock.LockConfigurationException;
import dev.interlock.Option;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import org.assertj.core.api.AbstractStringAssert;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class SettingsTest {
  private static final TestProvider ACME = new TestProvider();

  private static LockConfig read(String uri) {
    return Settings.read(LockUri.parse(uri), ACME);
  }

  private static AbstractStringAssert<?> refusal(String uri) {
    return assertThatThrownBy(() -> read(uri))
        .isInstanceOf(LockConfigurationException.class)
        .message();
  }

  @Test
  @DisplayName("the options of a URI keep their types, and the others their defaults")
  void typesOptions() {
    LockConfig config =
        read("acme://me:secret@a:1,[::1]/3?pool-size=9&tls=true&timeout=PT1S&mode=shared-owner");

    assertThat(config.get(TestProvider.HOSTS))
        .containsExactly(HostPort.of("a", 1), new HostPort("::1", OptionalInt.empty()));
    assertThat(config.get(TestProvider.USER)).isEqualTo("me");
    assertThat(config.get(TestProvider.PASSWORD)).isEqualTo("secret");
    assertThat(config.get(TestProvider.DATABASE)).isEqualTo(3);
    assertThat(config.get(TestProvider.POOL)).isEqualTo(9);
    assertThat(config.get(TestProvider.TLS)).isTrue();
    assertThat(config.get(TestProvider.TIMEOUT)).isEqualTo(Duration.ofSeconds(1));
    assertThat(config.get(TestProvider.MODE)).isEqualTo(Capability.SHARED_OWNER);
    assertThat(config.get(CommonOptions.LEASE)).isEqualTo(Duration.ofSeconds(30));
    assertThat(config.get(CommonOptions.NAMESPACE)).isEqualTo("interlock");
  }

  @Test
  @DisplayName("E8 every fault is named in one message")
  void namesEveryFault() {
    refusal("acme://u:abc@/99?pool-size=0&tls=yes&timeout=5s&mode=fast&laese=PT1S&tls=no&x=1")
        .isEqualTo("Cannot open 'acme': password: it must be at least 4 characters long; "
            + "database=99: it must be at most 15; pool-size=0: it must be at least 1; "
            + "tls is given 2 times; "
            + "timeout=5s: expected an ISO 8601 duration such as PT30S; "
            + "mode=fast: expected one of renewable, fenced, push, fair, shared-owner, durable, shared, permits; "
            + "unknown option 'laese' (did you mean 'lease'?); "
            + "unknown option 'x' (known: lease, mode, namespace, pool-size, timeout, tls); "
            + "hosts is missing");
  }

  @Test
  @DisplayName("E8 settings that do not go together are refused, by the provider's own words")
  void namesConflicts() {
    refusal("acme://h?tls=true&pool-size=1")
        .isEqualTo("Cannot open 'acme': tls needs a pool-size of 2 or more");
  }

  @Test
  @DisplayName("E8 a lease out of range and a bad namespace are refused, not corrected")
  void refusesOutOfRange() {
    refusal("acme://h?lease=PT0.001S").contains("lease=PT0.001S: it must be at least PT0.01S");
    refusal("acme://h?lease=P366D").contains("it must be at most PT8760H");
    refusal("acme://h?namespace=a%20b").contains("namespace=a b: it must be 1 to 64 letters");
  }

  @Test
  @DisplayName("E8 a malformed host is named, and an empty one")
  void refusesHosts() {
    refusal("acme://h:0").contains("the port is 0: 1 to 65535");
    refusal("acme://h:x").contains("hosts=h:x: expected a whole number");
    refusal("acme://a,,b").contains("the host is empty");
  }

  @Test
  @DisplayName("E8 a part that the provider does not take is refused without showing it")
  void refusesParts() {
    TestProvider bare = new TestProvider() {
      @Override
      public List<Option<?>> options() {
        return List.of();
      }
    };
    assertThatThrownBy(() -> Settings.read(LockUri.parse("acme://me:hunter2@host/path"), bare))
        .isInstanceOf(LockConfigurationException.class)
        .hasMessage("Cannot open 'acme': acme:// does not take a user; "
            + "acme:// does not take a password; acme:// does not take a host; "
            + "acme:// does not take a path");
  }

  @Test
  @DisplayName("E8 no message and no toString shows a secret")
  void showsNoSecret() {
    refusal("acme://me:abc@h?pool-size=0").doesNotContain("abc");
    refusal("acme://h?password=hunter2").contains("'password'").doesNotContain("hunter2");
    assertThat(read("acme://me:hunter2@h"))
        .hasToString("LockConfig[acme, user=me, password=REDACTED, hosts=[h]]");
  }

  @Test
  @DisplayName("E8 what follows an & within a password is not told as the name of an option")
  void showsNoPartOfASecret() {
    TestProvider keyed = new TestProvider() {
      @Override
      public List<Option<?>> options() {
        return List.of(HOSTS, POOL, Option.text("key", null).secret());
      }
    };
    assertThatThrownBy(
            () -> Settings.read(LockUri.parse("acme://h?key=hun&ter2&pool-sise=1"), keyed))
        .isInstanceOf(LockConfigurationException.class)
        .hasMessage("Cannot open 'acme': an unknown option, not repeated here because it may be a"
            + " part of a password, in which an & is %26 (known: key, lease, namespace, pool-size);"
            + " unknown option 'pool-sise' (did you mean 'pool-size'?)");
  }

  @Test
  @DisplayName("typed settings are checked like those of a URI")
  void checksTyped() {
    LockConfig incomplete = LockConfig.builder("acme").build();
    assertThatThrownBy(() -> Settings.check(incomplete, ACME))
        .hasMessage("Cannot open 'acme': hosts is missing");

    LockConfig foreign = LockConfig.builder("acme")
        .set(TestProvider.HOSTS, List.of(HostPort.of("h", 1)))
        .set(Option.integer("pool-sise", 1), 2)
        .build();
    assertThatThrownBy(() -> Settings.check(foreign, ACME))
        .hasMessage("Cannot open 'acme': unknown option 'pool-sise' (did you mean 'pool-size'?)");

    LockConfig other = LockConfig.builder("other")
        .set(TestProvider.HOSTS, List.of(HostPort.of("h", 1)))
        .build();
    assertThatThrownBy(() -> Settings.check(other, ACME))
        .hasMessage("Cannot open 'acme': the settings are for 'other'");
  }
}
