package dev.interlock.mysql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.BackendUnavailableException;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockConfigurationException;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import dev.interlock.testservers.MysqlServer;
import dev.interlock.testservers.TestMysql;
import dev.interlock.testservers.TlsFiles;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server that takes encrypted connections only, with a certificate that no public CA signed. */
class TlsTest {
  private static final String PASSWORD = "trust-s3cr3t";

  @TempDir
  private static Path directory;

  private static MysqlServer server;
  private static Path trusted;

  @BeforeAll
  static void start() {
    TlsFiles files = TlsFiles.selfSigned(directory);
    server = TestMysql.builder()
        .owned()
        .option("ssl-cert", files.certificate().toString())
        .option("ssl-key", files.privateKey().toString())
        .option("ssl-ca", files.authority().toString())
        .start();
    server.execute("CREATE USER tls IDENTIFIED BY 'tls' REQUIRE SSL");
    server.execute("GRANT ALL PRIVILEGES ON *.* TO tls");
    trusted = files.trustStore(directory, PASSWORD);
  }

  @AfterAll
  static void end() {
    server.close();
  }

  private static String uri(String query) {
    return "mysql://tls:tls@" + server.host() + ":" + server.port() + "/" + server.database()
        + "?schema=create&namespace=" + Server.freshNamespace() + query;
  }

  private static String trusting(String mode) {
    return uri("&tls=" + mode + "&trustStore=" + trusted + "&trustStorePassword=" + PASSWORD);
  }

  @Test
  void aVerifiedConnectionHandsALockOverBetweenClients() throws Exception {
    String uri = trusting("verify-identity");
    try (LockClient one = Locks.open(uri);
        LockClient two = Locks.open(uri)) {
      Lease held = one.acquire(LockRequest.of("a"));
      var waiting = two.acquireAsync(LockRequest.of("a"));
      held.release();
      try (Lease next = waiting.get(10, TimeUnit.SECONDS)) {
        assertThat(next.isValid()).isTrue();
      }
    }
  }

  @Test
  void anUnknownCertificateIsRefusedOnceItIsToBeVerified() {
    assertThatThrownBy(() -> Locks.open(uri("&tls=verify-ca")))
        .isInstanceOf(BackendUnavailableException.class)
        .hasMessageContaining("trust anchors")
        .hasMessageNotContaining("tls:tls@");
    Locks.open(uri("&tls=required")).close();
  }

  @Test
  void withoutTlsTheAccountIsRefused() {
    assertThatThrownBy(() -> Locks.open(uri("&tls=disabled")))
        .isInstanceOf(BackendUnavailableException.class);
  }

  @Test
  void aTrustStoreThatCannotBeReadIsAnErrorOfTheConfiguration() {
    assertThatThrownBy(() -> Locks.open(
            uri("&tls=verify-ca&trustStore=" + trusted + "&trustStorePassword=wr0ng-s3cr3t")))
        .isInstanceOf(LockConfigurationException.class)
        .hasMessageContaining("trustStorePassword")
        .hasMessageNotContaining("wr0ng-s3cr3t");
    assertThatThrownBy(() -> Locks.open(uri("&tls=verify-ca&trustStore=/nowhere.p12")))
        .isInstanceOf(LockConfigurationException.class)
        .hasMessageContaining("/nowhere.p12");
  }
}
