package dev.interlock.redis.support;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * A script for the server, read from resources. Immutable; the arrays are shared: nobody changes
 * them.
 */
public final class LuaScript {
  private final String name;
  private final byte[] source;
  private final byte[] sha;

  private LuaScript(String name, byte[] source) {
    this.name = name;
    this.source = source;
    this.sha = sha1(source);
  }

  /**
   * Reads a script that is made of one or several resources, the shared functions first.
   *
   * @param anchor a class in the package of the resources
   * @param resources their file names; the last one names the script
   * @return the script
   * @throws IllegalStateException if a resource is missing
   */
  public static LuaScript of(Class<?> anchor, String... resources) {
    StringBuilder text = new StringBuilder();
    for (String resource : resources) {
      text.append(read(anchor, resource));
    }
    return new LuaScript(resources[resources.length - 1], text.toString().getBytes(ISO_8859_1));
  }

  /**
   * Returns the script's file name, for messages.
   *
   * @return the name
   */
  public String name() {
    return name;
  }

  /**
   * Returns the argument of EVAL.
   *
   * @return the text
   */
  public byte[] source() {
    return source;
  }

  /**
   * Returns the argument of EVALSHA.
   *
   * @return 40 hexadecimal digits
   */
  public byte[] sha() {
    return sha;
  }

  private static String read(Class<?> anchor, String resource) {
    try (InputStream in = anchor.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IllegalStateException("missing resource " + resource);
      }
      return new String(in.readAllBytes(), ISO_8859_1);
    } catch (IOException e) {
      throw new UncheckedIOException(resource, e);
    }
  }

  private static byte[] sha1(byte[] text) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-1").digest(text);
      return HexFormat.of().formatHex(digest).getBytes(ISO_8859_1);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JVM has SHA-1", e);
    }
  }
}
