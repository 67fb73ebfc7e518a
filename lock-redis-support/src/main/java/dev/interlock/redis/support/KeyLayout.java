package dev.interlock.redis.support;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where the state of a lock is kept. Thread-safe.
 *
 * <p>Every name belongs to one of {@value #BUCKETS} buckets of its namespace. All keys of a bucket
 * begin with the bucket's hash tag, such as {@code {orders:17}}, so they lie on one node of a
 * cluster, and a script may use the fencing counter of the bucket beside the keys of a name. The
 * counters are the only keys that stay, hence their number is bounded.
 *
 * <p>The tag comes first and a namespace has no braces, so a name may hold any character, braces
 * and separators included: it never changes the tag. The name comes last, so that two names never
 * share a key.
 */
public final class KeyLayout {
  /** The number of buckets. Fixed for good: another number is another layout. */
  public static final int BUCKETS = 256;

  /** What is between the number of the bucket and the name, in the key of a lock's holder. */
  private static final String LOCK = "}:lock:";

  private static final int RECENT = 512;
  private static final int FNV_OFFSET = 0x811c9dc5;
  private static final int FNV_PRIME = 0x01000193;

  private final byte[][] lockPrefixes = new byte[BUCKETS][];
  private final byte[][] waitPrefixes = new byte[BUCKETS][];
  private final byte[][] duePrefixes = new byte[BUCKETS][];
  private final byte[][] tokens = new byte[BUCKETS][];
  private final byte[][] marks = new byte[BUCKETS][];
  private final String mailboxPrefix;
  private final String tagStart;

  // The keys of names used lately, at the place of their hash code. Two threads may both fill a
  // place, to the same effect: a record's fields are final.
  private final @Nullable LockKeys[] recent = new @Nullable LockKeys[RECENT];

  /**
   * Creates the layout of a namespace.
   *
   * @param namespace letters, digits, dots, hyphens and underscores
   */
  public KeyLayout(String namespace) {
    for (int bucket = 0; bucket < BUCKETS; bucket++) {
      String tag = "{" + namespace + ":" + bucket + "}";
      lockPrefixes[bucket] = ("{" + namespace + ":" + bucket + LOCK).getBytes(ISO_8859_1);
      waitPrefixes[bucket] = (tag + ":wait:").getBytes(ISO_8859_1);
      duePrefixes[bucket] = (tag + ":due:").getBytes(ISO_8859_1);
      tokens[bucket] = (tag + ":token").getBytes(ISO_8859_1);
      marks[bucket] = (tag + ":mark").getBytes(ISO_8859_1);
    }
    mailboxPrefix = namespace + ":mailbox:";
    tagStart = "{" + namespace + ":";
  }

  /**
   * Returns the keys of a lock.
   *
   * @param name the lock
   * @return its keys
   * @throws IllegalArgumentException if the name has half of a surrogate pair, which has no UTF-8
   */
  public LockKeys keys(String name) {
    int place = (name.hashCode() ^ (name.hashCode() >>> 16)) & (RECENT - 1);
    LockKeys known = recent[place];
    if (known != null && known.name().equals(name)) {
      return known;
    }
    LockKeys made = make(name);
    recent[place] = made;
    return made;
  }

  /**
   * Returns keys in a bucket that are no lock's: those of the empty name.
   *
   * @param bucket from 0 to {@value #BUCKETS} - 1
   * @return keys on which to try what may be done on this bucket's server
   */
  public LockKeys nobodys(int bucket) {
    return make("", new byte[0], bucket);
  }

  /**
   * Returns a key for a write that means nothing but that it follows others to the same server. It
   * lies where the keys of the lock do, and whoever writes it lets it expire at once.
   *
   * @param keys of the lock
   * @return the same key for all locks of a bucket
   */
  public byte[] mark(LockKeys keys) {
    return marks[keys.bucket()];
  }

  /**
   * Returns the channel on which a client hears of its locks.
   *
   * @param clientId 16 hexadecimal digits, which are also the first half of the client's hold ids
   * @return the channel
   */
  public byte[] mailbox(String clientId) {
    return (mailboxPrefix + clientId).getBytes(ISO_8859_1);
  }

  /**
   * Returns what every mailbox channel of the namespace begins with; a script appends the first 16
   * characters of a hold id.
   *
   * @return the prefix
   */
  public byte[] mailboxPrefix() {
    return mailboxPrefix.getBytes(ISO_8859_1);
  }

  /**
   * Returns a pattern for the keys of held locks, as {@code SCAN} takes it. Keys of other software
   * may match it too: see {@link #lockAt}.
   *
   * @param namePrefix what the names of the locks begin with
   * @return the pattern
   */
  public byte[] lockPattern(String namePrefix) {
    String literal = namePrefix.replaceAll("[*?\\[\\]\\\\]", "\\\\$0");
    return (tagStart + "*" + LOCK + literal + "*").getBytes(UTF_8);
  }

  /**
   * Finds the lock whose holder is kept at a key.
   *
   * @param key any key
   * @return the keys of that lock; empty if no lock of the namespace has this key
   */
  public Optional<LockKeys> lockAt(byte[] key) {
    String text = new String(key, UTF_8);
    int end = text.indexOf(LOCK);
    if (end < 0 || end + LOCK.length() == text.length()) {
      return Optional.empty();
    }
    LockKeys keys = make(text.substring(end + LOCK.length()));
    return Arrays.equals(keys.lock(), key) ? Optional.of(keys) : Optional.empty();
  }

  /**
   * Finds the bucket of a name: FNV-1a of its UTF-8, folded to eight bits.
   *
   * @param name the lock, in UTF-8
   * @return from 0 to {@value #BUCKETS} - 1
   */
  public static int bucket(byte[] name) {
    int hash = FNV_OFFSET;
    for (byte b : name) {
      hash = (hash ^ (b & 0xff)) * FNV_PRIME;
    }
    hash ^= hash >>> 16;
    return (hash ^ (hash >>> 8)) & (BUCKETS - 1);
  }

  private LockKeys make(String name) {
    byte[] text = encode(name);
    return make(name, text, bucket(text));
  }

  private LockKeys make(String name, byte[] text, int bucket) {
    return new LockKeys(
        name,
        bucket,
        join(lockPrefixes[bucket], text),
        tokens[bucket],
        join(waitPrefixes[bucket], text),
        join(duePrefixes[bucket], text));
  }

  private static byte[] encode(String name) {
    for (int i = 0; i < name.length(); i++) {
      if (Character.isSurrogate(name.charAt(i))) {
        return encodeStrictly(name);
      }
    }
    return name.getBytes(UTF_8);
  }

  private static byte[] encodeStrictly(String name) {
    try {
      ByteBuffer encoded = UTF_8.newEncoder().encode(CharBuffer.wrap(name));
      byte[] bytes = new byte[encoded.remaining()];
      encoded.get(bytes);
      return bytes;
    } catch (CharacterCodingException e) {
      // getBytes would put a question mark in its place, and so make two names one lock.
      throw new IllegalArgumentException("the lock's name has half of a surrogate pair", e);
    }
  }

  private static byte[] join(byte[] prefix, byte[] text) {
    byte[] joined = new byte[prefix.length + text.length];
    System.arraycopy(prefix, 0, joined, 0, prefix.length);
    System.arraycopy(text, 0, joined, prefix.length, text.length);
    return joined;
  }
}
