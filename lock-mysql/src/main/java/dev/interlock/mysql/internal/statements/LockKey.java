package dev.interlock.mysql.internal.statements;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/** Where a lock is in the tables. */
public final class LockKey {
  /** The order in which statements on several locks take their rows. */
  public static final Comparator<LockKey> IN_ORDER =
      Comparator.comparingInt(LockKey::bucket).thenComparing(LockKey::key, Arrays::compareUnsigned);

  static final int BUCKETS = 64;

  private final int bucket;
  private final byte[] key;

  private LockKey(int bucket, byte[] key) {
    this.bucket = bucket;
    this.key = key;
  }

  public static LockKey of(String namespace, String name) {
    // A namespace has no colon, so no two locks have one key.
    byte[] key = (namespace + ":" + name).getBytes(StandardCharsets.UTF_8);
    CRC32 sum = new CRC32();
    sum.update(key);
    return new LockKey((int) (sum.getValue() % BUCKETS), key);
  }

  public static LockKey of(int bucket, byte[] key) {
    return new LockKey(bucket, key);
  }

  /** From 0 to 63. Every client must compute the same, so this never changes. */
  public int bucket() {
    return bucket;
  }

  /** Namespace and name in UTF-8; not to be changed. */
  public byte[] key() {
    return key;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof LockKey at && bucket == at.bucket && Arrays.equals(key, at.key);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(key);
  }
}
