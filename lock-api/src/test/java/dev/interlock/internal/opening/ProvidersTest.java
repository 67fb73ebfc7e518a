package dev.interlock.internal.opening;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.HostPort;
import dev.interlock.LockConfig;
import dev.interlock.LockConfigurationException;
import dev.interlock.LockProviderNotFoundException;
import dev.interlock.Locks;
import dev.interlock.ProviderInfo;
import dev.interlock.spi.BackendContext;
import dev.interlock.spi.ClientId;
import dev.interlock.spi.LockClients;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProvidersTest {
  private static final LockConfig ACME = LockConfig.builder("acme")
      .set(TestProvider.HOSTS, List.of(new HostPort("localhost", OptionalInt.empty())))
      .build();

  @TempDir
  private Path directory;

  private ClassLoader before;

  @BeforeEach
  void remember() {
    before = Thread.currentThread().getContextClassLoader();
  }

  @AfterEach
  void restore() throws IOException {
    ClassLoader mine = Thread.currentThread().getContextClassLoader();
    Thread.currentThread().setContextClassLoader(before);
    if (mine instanceof URLClassLoader open) {
      open.close();
    }
  }

  private void onTheClassPath(String... providers) throws IOException {
    Path services = directory.resolve("META-INF/services");
    Files.createDirectories(services);
    Files.write(services.resolve("dev.interlock.spi.LockProvider"), List.of(providers));
    Thread.currentThread()
        .setContextClassLoader(
            new URLClassLoader(new URL[] {directory.toUri().toURL()}, getClass().getClassLoader()));
  }

  @Test
  @DisplayName("a missing provider of this project: its artifact is named")
  void namesArtifact() throws IOException {
    onTheClassPath(TestProvider.class.getName());
    assertThatThrownBy(() -> Locks.open("redis-hash://me:hunter2@h"))
        .isInstanceOf(LockProviderNotFoundException.class)
        .hasMessage("No lock provider 'redis-hash'. Available: [acme]. "
            + "Add the dependency dev.interlock:lock-redis-hash.");
  }

  @Test
  @DisplayName("a missing provider nobody knows: the nearest id is proposed")
  void proposesNearest() throws IOException {
    onTheClassPath(TestProvider.class.getName());
    assertThatThrownBy(() -> Locks.open("acne://h"))
        .hasMessage("No lock provider 'acne'. Available: [acme]. Did you mean 'acme'?");
    assertThatThrownBy(() -> Locks.open("zookeeper://h"))
        .hasMessage("No lock provider 'zookeeper'. Available: [acme]. "
            + "Add the artifact that provides it to the class path.");
  }

  @Test
  @DisplayName("two providers with one id are an error that names both")
  void refusesTwins() throws IOException {
    onTheClassPath(TestProvider.class.getName(), TestProvider.Twin.class.getName());
    assertThatThrownBy(() -> Locks.open("acme://h"))
        .isInstanceOf(LockConfigurationException.class)
        .hasMessageContaining("2 providers have the id 'acme'")
        .hasMessageContaining(TestProvider.class.getName() + " from ")
        .hasMessageContaining(TestProvider.Twin.class.getName() + " from ");
  }

  @Test
  @DisplayName("a provider that fails to load is named, and the others go on working")
  void survivesBroken() throws IOException {
    onTheClassPath(
        TestProvider.Broken.class.getName(), "dev.gone.Provider", TestProvider.class.getName());

    assertThat(Locks.providers()).extracting(ProviderInfo::id).containsExactly("acme");
    assertThatThrownBy(() -> Locks.open("nothing://h"))
        .hasMessageContaining("Failed to load: ")
        .hasMessageContaining(TestProvider.Broken.class.getName())
        .hasMessageContaining("dev.gone.Provider");
  }

  @Test
  @DisplayName(
      "a library of a provider that does not fit is a wrong configuration, in one sentence")
  void namesLibraryThatDoesNotFit() {
    assertThatThrownBy(() -> LockClients.open(new TestProvider(), ACME, context -> {
          throw new NoSuchMethodError("acme.Driver.connect(int)");
        }))
        .isInstanceOf(LockConfigurationException.class)
        .hasMessage(
            "A library that the provider 'acme' uses is missing on the class path, or too old"
                + " or too new: java.lang.NoSuchMethodError: acme.Driver.connect(int)")
        .hasCauseInstanceOf(NoSuchMethodError.class);
  }

  @Test
  @DisplayName("so it is for a backend that is opened without an engine, as operators do")
  void namesLibraryThatOperatorsLack() throws IOException {
    onTheClassPath(TestProvider.Incomplete.class.getName());
    BackendContext context = BackendContext.of(new ClientId("providers-test", "here"));
    assertThatThrownBy(() -> context.open("acme://h"))
        .isInstanceOf(LockConfigurationException.class)
        .hasMessageStartingWith("A library that the provider 'acme' uses is missing")
        .hasMessageEndingWith("java.lang.NoClassDefFoundError: acme/Driver");
  }

  @Test
  @DisplayName("open() without any setting says which to set")
  void saysWhatToSet() {
    assertThat(System.getenv("INTERLOCK_URI")).isNull();
    assertThatThrownBy(Locks::open)
        .isInstanceOf(LockConfigurationException.class)
        .hasMessageContaining("-Dinterlock.uri=local://")
        .hasMessageContaining("INTERLOCK_URI");
  }
}
