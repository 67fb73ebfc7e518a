package dev.interlock.testservers.internal.redis;

import dev.interlock.testservers.RedisSource;
import dev.interlock.testservers.TestServerException;
import dev.interlock.testservers.TlsFiles;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * What a test wants of a server.
 *
 * @param port the port to listen on, or 0 for a free one
 * @param directives lines of redis.conf, each as its words
 * @param owned whether a given server, which cannot be killed, is not good enough
 * @param process whether it must be a process on this machine, because other servers talk to it
 * @param only the one source allowed, or null for the usual order
 */
public record RedisSettings(
    int port,
    @Nullable String password,
    List<List<String>> directives,
    @Nullable TlsFiles tls,
    boolean owned,
    boolean process,
    @Nullable RedisSource only) {
  private static final String SENTINEL = "sentinel";

  public RedisSettings {
    directives = List.copyOf(directives);
  }

  /** Whether any server will do, as it is. */
  boolean asksForNothing() {
    return port == 0 && password == null && directives.isEmpty() && tls == null && !owned;
  }

  RedisSettings withPort(int chosen) {
    return new RedisSettings(chosen, password, directives, tls, owned, process, only);
  }

  /** Whether it is to watch other servers instead of keeping data. */
  boolean isSentinel() {
    return directives.stream().anyMatch(words -> words.get(0).equals(SENTINEL));
  }

  /** The endpoint of a server with these settings. */
  RedisEndpoint endpoint(String host, int publishedPort) {
    return new RedisEndpoint(
        host,
        publishedPort,
        null,
        password,
        0,
        Optional.ofNullable(tls).map(files -> trusting(files.authority())).orElse(null));
  }

  /**
   * The redis.conf.
   *
   * @param address where to listen
   * @param listenPort the port to listen on
   * @param directory the server's working directory
   * @param placed maps a file to where the server finds it
   */
  String configuration(
      String address, int listenPort, String directory, Function<Path, String> placed) {
    List<List<String>> lines = new ArrayList<>();
    lines.add(List.of("bind", address));
    lines.add(List.of("port", tls == null ? Integer.toString(listenPort) : "0"));
    lines.add(List.of("dir", directory));
    lines.add(List.of("daemonize", "no"));
    lines.add(List.of("protected-mode", "no"));
    if (!isSentinel()) {
      addDefault(lines, "save", "");
      addDefault(lines, "appendonly", "no");
    }
    if (password != null) {
      lines.add(List.of("requirepass", password));
    }
    if (tls != null) {
      lines.add(List.of("tls-port", Integer.toString(listenPort)));
      lines.add(List.of("tls-cert-file", placed.apply(tls.certificate())));
      lines.add(List.of("tls-key-file", placed.apply(tls.privateKey())));
      lines.add(List.of("tls-ca-cert-file", placed.apply(tls.authority())));
      addDefault(lines, "tls-auth-clients", "no");
    }
    lines.addAll(directives);
    return lines.stream().map(RedisSettings::line).collect(Collectors.joining("\n", "", "\n"));
  }

  private void addDefault(List<List<String>> lines, String name, String value) {
    if (directives.stream().noneMatch(words -> words.get(0).equalsIgnoreCase(name))) {
      lines.add(List.of(name, value));
    }
  }

  private static String line(List<String> words) {
    return words.stream()
        .map(word -> '"' + word.replace("\\", "\\\\").replace("\"", "\\\"") + '"')
        .collect(Collectors.joining(" "));
  }

  private static SSLSocketFactory trusting(Path authority) {
    try (InputStream in = Files.newInputStream(authority)) {
      KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
      trusted.load(null, null);
      trusted.setCertificateEntry(
          "authority", CertificateFactory.getInstance("X.509").generateCertificate(in));
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(trusted);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, trust.getTrustManagers(), null);
      return context.getSocketFactory();
    } catch (IOException | GeneralSecurityException e) {
      throw new TestServerException("The certificate " + authority + " cannot be used.", e);
    }
  }
}
