package dev.interlock.tck.internal.rules;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;
import java.util.zip.Adler32;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import java.util.zip.Checksum;

/** Names that a store would join which keeps a usual 16 or 32 bit hash of a name in its place. */
public final class Collisions {
  private static final int MOST_TRIES = 400_000;

  // Ends that differ in many characters: a checksum tells those apart that differ in a few.
  private static final long SPREAD = 0x9e3779b97f4a7c15L;

  private Collisions() {}

  /** Returns pairs of names that begin so. */
  static List<String> of(String base) {
    List<String> names = new ArrayList<>(List.of(base + "Aa", base + "BB")); // String.hashCode
    names.addAll(List.of(base + "Ab", base + "BA")); // the same with 33
    names.addAll(pair(base, "c", name -> checksum(new CRC32(), name)));
    names.addAll(pair(base, "d", name -> checksum(new CRC32C(), name)));
    names.addAll(pair(base, "e", name -> checksum(new Adler32(), name)));
    names.addAll(pair(base, "f", Collisions::fowlerNollVo));
    names.addAll(pair(base, "g", Collisions::crc16));
    names.addAll(pair(base, "h", Collisions::murmur));
    // Like FNV and like 33 above, but they multiply first, and take the bits together otherwise.
    names.addAll(pair(base, "i", name -> mixed(name, 0x811c9dc5, 0x01000193)));
    names.addAll(pair(base, "j", name -> mixed(name, 5_381, 33)));
    names.addAll(pair(base, "k", Collisions::oneAtATime));
    names.addAll(pair(base, "l", Collisions::lookup3));
    for (String digest : List.of("MD5", "SHA-1", "SHA-256")) {
      MessageDigest algorithm = digest(digest);
      names.addAll(pair(base, digest, name -> bits(algorithm.digest(name), 0)));
      int end = algorithm.getDigestLength() - Integer.BYTES;
      names.addAll(pair(base, digest + "-", name -> bits(algorithm.digest(name), end)));
    }
    return names;
  }

  /** A pair among so many names of 32 bits each is as good as certain. */
  private static List<String> pair(String base, String mark, ToIntFunction<byte[]> hash) {
    Map<Integer, String> seen = new HashMap<>();
    for (int i = 0; i < MOST_TRIES; i++) {
      String name = base + mark + Long.toHexString(i * SPREAD);
      String other = seen.put(hash.applyAsInt(name.getBytes(StandardCharsets.UTF_8)), name);
      if (other != null) {
        return List.of(other, name);
      }
    }
    return List.of();
  }

  private static int checksum(Checksum checksum, byte[] name) {
    checksum.update(name, 0, name.length);
    return (int) checksum.getValue();
  }

  private static int fowlerNollVo(byte[] name) {
    int hash = 0x811c9dc5;
    for (byte next : name) {
      hash = (hash ^ (next & 0xff)) * 0x01000193;
    }
    return hash;
  }

  private static int mixed(byte[] name, int start, int factor) {
    int hash = start;
    for (byte next : name) {
      hash = (hash * factor) ^ (next & 0xff);
    }
    return hash;
  }

  /** Appleby's hash, version 3, of 32 bits, without a seed. */
  private static int murmur(byte[] name) {
    int hash = 0;
    int whole = name.length & ~3;
    for (int i = 0; i < whole; i += 4) {
      hash = Integer.rotateLeft(hash ^ scrambled(littleEndian(name, i, 4)), 13) * 5 + 0xe6546b64;
    }
    hash ^= scrambled(littleEndian(name, whole, name.length - whole));
    hash ^= name.length;
    hash = (hash ^ (hash >>> 16)) * 0x85ebca6b;
    hash = (hash ^ (hash >>> 13)) * 0xc2b2ae35;
    return hash ^ (hash >>> 16);
  }

  /** Jenkins' hash of that name. */
  private static int oneAtATime(byte[] name) {
    int hash = 0;
    for (byte next : name) {
      hash += next & 0xff;
      hash += hash << 10;
      hash ^= hash >>> 6;
    }
    hash += hash << 3;
    hash ^= hash >>> 11;
    return hash + (hash << 15);
  }

  /** Jenkins' lookup3 as PostgreSQL's hashtext has it. */
  public static int lookup3(byte[] name) {
    int a = 0x9e3779b9 + 3_923_095 + name.length;
    int b = a;
    int c = a;
    int from = 0;
    for (; name.length - from >= 12; from += 12) {
      a += littleEndian(name, from, 4);
      b += littleEndian(name, from + 4, 4);
      c += littleEndian(name, from + 8, 4);
      a = (a - c) ^ Integer.rotateLeft(c, 4);
      c += b;
      b = (b - a) ^ Integer.rotateLeft(a, 6);
      a += c;
      c = (c - b) ^ Integer.rotateLeft(b, 8);
      b += a;
      a = (a - c) ^ Integer.rotateLeft(c, 16);
      c += b;
      b = (b - a) ^ Integer.rotateLeft(a, 19);
      a += c;
      c = (c - b) ^ Integer.rotateLeft(b, 4);
      b += a;
    }
    int rest = name.length - from;
    a += littleEndian(name, from, Math.min(4, rest));
    b += littleEndian(name, from + 4, Math.min(4, Math.max(0, rest - 4)));
    c += littleEndian(name, from + 8, Math.max(0, rest - 8)) << 8;
    c = (c ^ b) - Integer.rotateLeft(b, 14);
    a = (a ^ c) - Integer.rotateLeft(c, 11);
    b = (b ^ a) - Integer.rotateLeft(a, 25);
    c = (c ^ b) - Integer.rotateLeft(b, 16);
    a = (a ^ c) - Integer.rotateLeft(c, 4);
    b = (b ^ a) - Integer.rotateLeft(a, 14);
    return (c ^ b) - Integer.rotateLeft(b, 24);
  }

  private static int scrambled(int block) {
    return Integer.rotateLeft(block * 0xcc9e2d51, 15) * 0x1b873593;
  }

  private static int littleEndian(byte[] name, int from, int length) {
    int value = 0;
    for (int i = length - 1; i >= 0; i--) {
      value = value << 8 | (name[from + i] & 0xff);
    }
    return value;
  }

  private static int crc16(byte[] name) {
    int crc = 0;
    for (byte next : name) {
      crc ^= (next & 0xff) << 8;
      for (int bit = 0; bit < 8; bit++) {
        crc = (crc & 0x8000) == 0 ? crc << 1 : (crc << 1) ^ 0x1021;
      }
    }
    return crc & 0xffff;
  }

  private static MessageDigest digest(String name) {
    try {
      return MessageDigest.getInstance(name);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("each JVM has " + name, e);
    }
  }

  private static int bits(byte[] hash, int from) {
    return ByteBuffer.wrap(hash).getInt(from);
  }
}
