package dev.interlock.sql.support;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;
import java.util.Optional;

/**
 * The locks of a namespace whose names begin alike: in the order of their keys they follow one
 * another. A key is namespace, colon and name in UTF-8, and a namespace has no colon. Immutable.
 */
public final class NameRange {
  private final String namespace;
  private final String prefix;

  /**
   * Makes a range.
   *
   * @param namespace of the locks
   * @param prefix what their names begin with
   */
  public NameRange(String namespace, String prefix) {
    this.namespace = namespace;
    this.prefix = prefix;
  }

  /**
   * Returns the first key that a lock of the range could have.
   *
   * @return the key
   */
  public byte[] start() {
    return key(prefix);
  }

  /**
   * Returns the first key behind all of the range.
   *
   * @return the key
   */
  public byte[] end() {
    byte[] end = start();
    end[end.length - 1]++; // was no 0xff: UTF-8 has none
    return end;
  }

  /**
   * Finds the lock that has a key.
   *
   * @param key of a row
   * @return its name; empty if no lock of the range has this key
   */
  public Optional<String> name(byte[] key) {
    String text = new String(key, UTF_8);
    int start = namespace.length() + 1;
    return Optional.of(text)
        .filter(all -> all.length() > start)
        .map(all -> all.substring(start))
        .filter(name -> name.startsWith(prefix) && Arrays.equals(key(name), key));
  }

  private byte[] key(String name) {
    return (namespace + ":" + name).getBytes(UTF_8);
  }
}
