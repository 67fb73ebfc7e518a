package dev.interlock.mysql;

import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;

/** Where a lock is in the tables. */
final class LockKey {
  static final int BUCKETS = 64;

  private final int bucket;
  private final byte[] key;

  private LockKey(int bucket, byte[] key) {
    this.bucket = bucket;
    this.key = key;
  }

  static LockKey of(String namespace, String name) {
    // A namespace has no colon, so no two locks have one key.
    byte[] key = (namespace + ":" + name).getBytes(StandardCharsets.UTF_8);
    CRC32 sum = new CRC32();
    sum.update(key);
    return new LockKey((int) (sum.getValue() % BUCKETS), key);
  }

  static LockKey of(int bucket, byte[] key) {
    return new LockKey(bucket, key);
  }

  /** From 0 to 63. Every client must compute the same, so this never changes. */
  int bucket() {
    return bucket;
  }

  /** Namespace and name in UTF-8; not to be changed. */
  byte[] key() {
    return key;
  }
}
