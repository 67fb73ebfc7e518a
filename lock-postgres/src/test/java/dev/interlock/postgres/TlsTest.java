package dev.interlock.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.BackendUnavailableException;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockConfigurationException;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import dev.interlock.testservers.PostgresServer;
import dev.interlock.testservers.TestPostgres;
import dev.interlock.testservers.TlsFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A server with a certificate that no public CA signed. */
@Timeout(60)
class TlsTest {

  @TempDir
  private static Path directory;

  private static PostgresServer server;
  private static TlsFiles files;

  @BeforeAll
  static void start() throws IOException {
    files = TlsFiles.selfSigned(directory);
    Files.setPosixFilePermissions(files.privateKey(), PosixFilePermissions.fromString("rw-------"));
    if (System.getProperty("user.name").equals("root")) {
      // The server then runs as this user, and takes no key of others.
      Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
      Files.setOwner(
          files.privateKey(),
          directory
              .getFileSystem()
              .getUserPrincipalLookupService()
              .lookupPrincipalByName("nobody"));
    }
    server = TestPostgres.builder()
        .owned()
        .option("ssl", "on")
        .option("ssl_cert_file", files.certificate().toString())
        .option("ssl_key_file", files.privateKey().toString())
        .start();
  }

  @AfterAll
  static void end() {
    server.close();
  }

  private static String uri(String query) {
    return Server.uri(server) + query;
  }

  private static String encrypted() {
    return server.execute("SELECT STRING_AGG(DISTINCT ssl::TEXT, ',') FROM pg_stat_ssl"
        + " JOIN pg_stat_activity USING (pid) WHERE application_name LIKE 'interlock-%'");
  }

  @Test
  void aVerifiedConnectionHandsALockOverBetweenClients() throws Exception {
    String uri = uri("&tls=verify-full&rootCertificate=" + files.authority());
    try (LockClient one = Locks.open(uri);
        LockClient two = Locks.open(uri)) {
      for (int i = 0; i < 20; i++) {
        Lease held = one.acquire(LockRequest.of("a"));
        var waiting = two.acquireAsync(LockRequest.of("a"));
        held.release();
        try (Lease next = waiting.get(10, TimeUnit.SECONDS)) {
          assertThat(next.isValid()).isTrue();
        }
      }
      assertThat(encrypted()).isEqualTo("true");
    }
  }

  @Test
  void anUnknownCertificateIsRefusedOnceItIsToBeVerified() throws Exception {
    Path other =
        TlsFiles.selfSigned(Files.createDirectory(directory.resolve("other"))).authority();
    for (String mode : new String[] {"verify-ca", "verify-full"}) {
      assertThatThrownBy(() -> Locks.open(uri("&tls=" + mode + "&rootCertificate=" + other)))
          .isInstanceOf(BackendUnavailableException.class)
          .hasMessageContaining("PKIX path validation failed");
    }
    try (LockClient client = Locks.open(uri("&tls=require"))) {
      client.acquire(LockRequest.of("a")).release();
      assertThat(encrypted()).isEqualTo("true");
    }
  }

  @Test
  void withoutTlsNothingIsEncrypted() throws Exception {
    try (LockClient client = Locks.open(uri("&tls=disable"))) {
      client.acquire(LockRequest.of("a")).release();
      assertThat(encrypted()).isEqualTo("false");
    }
  }

  @Test
  void aRootCertificateThatCannotBeReadIsAnErrorOfTheConfiguration() {
    assertThatThrownBy(() -> Locks.open(uri("&tls=verify-ca&rootCertificate=/nowhere.crt")))
        .isInstanceOf(LockConfigurationException.class)
        .hasMessageContaining("rootCertificate")
        .hasMessageContaining("/nowhere.crt");
    assertThatThrownBy(
            () -> Locks.open(uri("&tls=verify-ca&rootCertificate=" + files.privateKey())))
        .isInstanceOf(LockConfigurationException.class)
        .hasMessageContaining("rootCertificate");
  }
}
