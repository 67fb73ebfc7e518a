package dev.interlock.sql.support;

import dev.interlock.LockConfigurationException;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;

/**
 * Files with certificates to trust. Drivers report one that cannot be read as if the server could
 * not be reached.
 */
public final class TrustedFiles {
  private TrustedFiles() {}

  /**
   * Checks the options {@code trustStore} and {@code trustStorePassword}.
   *
   * @param provider whose options they are
   * @throws LockConfigurationException if the store cannot be read
   */
  public static void requireStore(String provider, String trustStore, String password) {
    try {
      KeyStore.getInstance(new File(trustStore), password.toCharArray());
    } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
      throw unreadable(provider, "trustStore cannot be read with the given trustStorePassword", e);
    }
  }

  /**
   * Checks the option {@code rootCertificate}.
   *
   * @param provider whose option it is
   * @throws LockConfigurationException if the file cannot be read, or has no certificate
   */
  public static void requireCertificates(String provider, String rootCertificate) {
    try (InputStream in = Files.newInputStream(Path.of(rootCertificate))) {
      if (CertificateFactory.getInstance("X.509").generateCertificates(in).isEmpty()) {
        throw new CertificateException("there is no certificate in " + rootCertificate);
      }
    } catch (IOException | GeneralSecurityException | InvalidPathException e) {
      throw unreadable(provider, "rootCertificate cannot be read", e);
    }
  }

  private static LockConfigurationException unreadable(
      String provider, String what, Exception cause) {
    return new LockConfigurationException(
        "Cannot open '" + provider + "': " + what + ": " + cause.getMessage(), cause);
  }
}
