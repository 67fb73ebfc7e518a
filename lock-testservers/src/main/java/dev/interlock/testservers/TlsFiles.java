package dev.interlock.testservers;

import dev.interlock.testservers.internal.control.Shell;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.Base64;
import java.util.List;
import java.util.Objects;

/**
 * The PEM files of a server that speaks TLS.
 *
 * @param certificate the server's certificate
 * @param privateKey its private key, without a password
 * @param authority the certificate that clients trust; of a self-signed one, the same file
 */
public record TlsFiles(Path certificate, Path privateKey, Path authority) {
  private static final char[] STORE_PASSWORD = "interlock".toCharArray();

  /** Checks that no file is missing from the call; whether they exist shows at the start. */
  public TlsFiles {
    Objects.requireNonNull(certificate, "certificate");
    Objects.requireNonNull(privateKey, "privateKey");
    Objects.requireNonNull(authority, "authority");
  }

  /**
   * Makes a self-signed certificate for {@code localhost} and {@code 127.0.0.1}, valid for two days
   * and one day back. Blocks for about a second.
   *
   * @param directory where the files are written; it has to exist
   * @throws TestServerException if the JDK's {@code keytool} fails or a file cannot be written
   */
  public static TlsFiles selfSigned(Path directory) {
    Path store = directory.resolve("server.p12");
    Shell.run(
        Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
        "-genkeypair",
        "-alias",
        "server",
        "-keyalg",
        "EC",
        "-dname",
        "CN=localhost",
        "-ext",
        "san=dns:localhost,ip:127.0.0.1",
        "-startdate",
        "-1d",
        "-validity",
        "3",
        "-storetype",
        "PKCS12",
        "-keystore",
        store.toString(),
        "-storepass",
        new String(STORE_PASSWORD));
    try (InputStream in = Files.newInputStream(store)) {
      KeyStore keys = KeyStore.getInstance("PKCS12");
      keys.load(in, STORE_PASSWORD);
      Certificate certificate = keys.getCertificate("server");
      byte[] key = keys.getKey("server", STORE_PASSWORD).getEncoded();
      Path certificateFile = directory.resolve("server.crt");
      Path keyFile = directory.resolve("server.key");
      writePem(certificateFile, "CERTIFICATE", certificate.getEncoded());
      writePem(keyFile, "PRIVATE KEY", key);
      return new TlsFiles(certificateFile, keyFile, certificateFile);
    } catch (IOException | GeneralSecurityException e) {
      throw new TestServerException("No certificate could be made in " + directory + ".", e);
    }
  }

  /**
   * Makes a store of trusted certificates, as Java clients want it.
   *
   * @param directory where the file {@code trust.p12} is written, replacing one of that name
   * @param password of the store
   * @throws TestServerException if the authority cannot be read or the file cannot be written
   */
  public Path trustStore(Path directory, String password) {
    Path file = directory.resolve("trust.p12");
    try (InputStream in = Files.newInputStream(authority);
        OutputStream out = Files.newOutputStream(file)) {
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(null, null);
      store.setCertificateEntry(
          "authority", CertificateFactory.getInstance("X.509").generateCertificate(in));
      store.store(out, password.toCharArray());
      return file;
    } catch (IOException | GeneralSecurityException e) {
      throw new TestServerException("No trust store could be made in " + directory + ".", e);
    }
  }

  private static void writePem(Path file, String kind, byte[] content) throws IOException {
    String body =
        Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII)).encodeToString(content);
    Files.write(file, List.of("-----BEGIN " + kind + "-----", body, "-----END " + kind + "-----"));
  }
}
