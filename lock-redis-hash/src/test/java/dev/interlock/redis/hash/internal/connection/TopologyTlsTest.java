package dev.interlock.redis.hash.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.BackendUnavailableException;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.Locks;
import dev.interlock.redis.support.contract.Topologies;
import dev.interlock.testservers.RedisCluster;
import dev.interlock.testservers.RedisSentinels;
import dev.interlock.testservers.TestRedis;
import dev.interlock.testservers.TlsFiles;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** All connections of a topology are encrypted, and only to servers that are trusted. */
@Timeout(120)
@EnabledIfSystemProperty(named = "interlock.test.topologies", matches = "true")
class TopologyTlsTest {
  @TempDir
  private static Path directory;

  private static TlsFiles files;
  private static String trust;

  @BeforeAll
  static void makeCertificate() throws Exception {
    files = TlsFiles.selfSigned(directory);
    Path store = directory.resolve("trust.p12");
    KeyStore keys = KeyStore.getInstance("PKCS12");
    keys.load(null, null);
    try (InputStream authority = Files.newInputStream(files.authority());
        OutputStream out = Files.newOutputStream(store)) {
      keys.setCertificateEntry(
          "authority", CertificateFactory.getInstance("X.509").generateCertificate(authority));
      keys.store(out, "secret".toCharArray());
    }
    trust = "&trustStore=" + store + "&trustStorePassword=secret";
  }

  @Test
  void locksWorkThroughSentinelsOverTlsBeforeAndAfterASwitch() throws Exception {
    try (RedisSentinels set =
        TestRedis.sentinels(1, builder -> builder.tls(files).password("s3cret"))) {
      String uri = set.uri("redis-hash") + "&tls=true";
      try (LockClient one = Locks.open(uri + trust);
          LockClient other = Locks.open(uri + trust)) {
        handOn(one, other, "before");
        set.failOver();
        SentinelTest.awaitMailboxes(set, 2);
        handOn(one, other, "after");
      }
      assertThatThrownBy(() -> Locks.open(uri)).isInstanceOf(BackendUnavailableException.class);
    }
  }

  @Test
  void locksWorkOnEveryNodeOfAClusterOverTls() throws Exception {
    try (RedisCluster cluster =
        TestRedis.cluster(0, builder -> builder.tls(files).password("s3cret"))) {
      String uri = cluster.uri("redis-hash") + "&tls=true";
      try (LockClient one = Locks.open(uri + trust);
          LockClient other = Locks.open(uri + trust)) {
        for (int i = 0; i < 12; i++) {
          handOn(one, other, "n" + i);
        }
      }
      assertThatThrownBy(() -> Locks.open(uri)).isInstanceOf(BackendUnavailableException.class);
    }
  }

  private static void handOn(LockClient from, LockClient to, String name) throws Exception {
    Lease held = from.acquire(LockRequest.of(name));
    CompletableFuture<Lease> next = to.acquireAsync(LockRequest.of(name).fair(true));
    Topologies.awaitWaiters(from, name, 1);
    held.release();
    Lease granted = next.get(10, TimeUnit.SECONDS);
    assertThat(granted.fencingToken()).isGreaterThan(held.fencingToken());
    granted.release();
  }
}
