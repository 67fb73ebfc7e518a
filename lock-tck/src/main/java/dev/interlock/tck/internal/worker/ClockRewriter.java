package dev.interlock.tck.internal.worker;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Points a class's calls of the wall clock at {@link SkewedClock} and {@link SkewedDates}: only the
 * class that a method reference in the constant pool names is changed, so no code moves.
 */
final class ClockRewriter {

  /** What stands in for which call. */
  private static final Map<String, Class<?>> CALLS = Map.of(
      "java/lang/System.currentTimeMillis()J", SkewedClock.class,
      "java/time/Instant.now()Ljava/time/Instant;", SkewedClock.class,
      "java/time/Clock.systemUTC()Ljava/time/Clock;", SkewedClock.class,
      "java/time/Clock.systemDefaultZone()Ljava/time/Clock;", SkewedClock.class,
      "java/time/Clock.system(Ljava/time/ZoneId;)Ljava/time/Clock;", SkewedClock.class,
      "java/time/LocalDateTime.now()Ljava/time/LocalDateTime;", SkewedDates.Local.class,
      "java/time/LocalDateTime.now(Ljava/time/ZoneId;)Ljava/time/LocalDateTime;",
          SkewedDates.Local.class,
      "java/time/ZonedDateTime.now()Ljava/time/ZonedDateTime;", SkewedDates.Zoned.class,
      "java/time/ZonedDateTime.now(Ljava/time/ZoneId;)Ljava/time/ZonedDateTime;",
          SkewedDates.Zoned.class);

  private static final int COUNT_AT = 8;
  private static final int UTF8 = 1;
  private static final int CLASS = 7;
  private static final int METHOD = 10;
  private static final int INTERFACE_METHOD = 11;

  private final ByteBuffer in;
  private final int count;
  private final int[] at;
  private final int end;

  private ClockRewriter(byte[] classFile) {
    this.in = ByteBuffer.wrap(classFile);
    this.count = Short.toUnsignedInt(in.getShort(COUNT_AT));
    this.at = new int[count];
    int position = COUNT_AT + 2;
    for (int i = 1; i < count; i++) {
      at[i] = position;
      int tag = in.get(position);
      position += size(tag, position);
      // Numbers of 8 bytes take two places.
      i += tag == 5 || tag == 6 ? 1 : 0;
    }
    this.end = position;
  }

  /** Returns the changed class file, or null if it does not ask the wall clock. */
  static byte @Nullable [] rewrite(byte[] classFile) {
    return new ClockRewriter(classFile).rewrite();
  }

  private byte @Nullable [] rewrite() {
    Map<Integer, Integer> changed = new HashMap<>();
    List<Class<?>> added = new ArrayList<>();
    for (int i = 1; i < count; i++) {
      int tag = at[i] == 0 ? 0 : in.get(at[i]);
      Class<?> other = tag == METHOD || tag == INTERFACE_METHOD ? CALLS.get(call(at[i])) : null;
      if (other != null) {
        if (!added.contains(other)) {
          added.add(other);
        }
        // Each new class entry follows its name.
        changed.put(at[i] + 1, count + 2 * added.indexOf(other) + 1);
      }
    }
    if (changed.isEmpty()) {
      return null;
    }
    byte[] patched = in.array().clone();
    ByteBuffer out = ByteBuffer.wrap(patched);
    changed.forEach((position, index) -> out.putShort(position, index.shortValue()));
    out.putShort(COUNT_AT, (short) (count + 2 * added.size()));
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream data = new DataOutputStream(bytes)) {
      data.write(patched, 0, end);
      for (int i = 0; i < added.size(); i++) {
        data.writeByte(UTF8);
        data.writeUTF(added.get(i).getName().replace('.', '/'));
        data.writeByte(CLASS);
        data.writeShort(count + 2 * i);
      }
      data.write(patched, end, patched.length - end);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  /** Whose method it is, its name and its descriptor. */
  private String call(int method) {
    String owner = utf8(at[index(at[index(method + 1)] + 1)]);
    int nameAndType = at[index(method + 3)];
    return owner + "." + utf8(at[index(nameAndType + 1)]) + utf8(at[index(nameAndType + 3)]);
  }

  private int index(int position) {
    return Short.toUnsignedInt(in.getShort(position));
  }

  private String utf8(int position) {
    int length = index(position + 1);
    return new String(in.array(), position + 3, length, StandardCharsets.UTF_8);
  }

  /** The size of a constant, its tag included; see chapter 4.4 of the JVM's specification. */
  private int size(int tag, int position) {
    return switch (tag) {
      case UTF8 -> 3 + index(position + 1);
      case 5, 6 -> 9;
      case CLASS, 8, 16, 19, 20 -> 3;
      case 15 -> 4;
      case 3, 4, 9, METHOD, INTERFACE_METHOD, 12, 17, 18 -> 5;
      default -> throw new IllegalArgumentException("constant of unknown kind " + tag);
    };
  }
}
