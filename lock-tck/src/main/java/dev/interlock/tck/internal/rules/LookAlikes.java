package dev.interlock.tck.internal.rules;

import dev.interlock.LockRequest;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Names, of locks or of owners, that a store would join which folds, trims, cuts or hashes them.
 */
final class LookAlikes {
  private LookAlikes() {}

  /** What stores put behind a lock's name, to keep there what belongs to it. */
  private static final List<String> PARTS = List.of(
      "lock", "owner", "holder", "holders", "token", "tokens", "fence", "counter", "count", "queue",
      "waiters", "wait", "readers", "writer", "permits", "lease", "expiry", "channel", "notify",
      "seq", "version", "meta", "state");

  /**
   * Returns the text, what else a store may keep under it, and those that {@link #of look alike}.
   */
  static List<String> withParts(String base) {
    List<String> names = new ArrayList<>(List.of(base));
    PARTS.forEach(part -> names.add(base + ":" + part));
    for (String part : List.of("lock", "token", "fence", "queue", "waiters")) {
      List.of("-", "_", ".", "/", "").forEach(between -> names.add(base + between + part));
      names.add(part + ":" + base);
    }
    names.addAll(of(base));
    names.addAll(numbers());
    return names;
  }

  /** Returns names that are the same number, which nobody else has. */
  static List<String> numbers() {
    String number = "1" + System.nanoTime();
    return List.of(number, "0" + number, "+" + number, number + ".0", number + "e0", "-" + number);
  }

  /** Returns texts that begin or end so; those that are joined by one mistake are neighbours. */
  static List<String> of(String base) {
    List<String> names = new ArrayList<>();
    for (String end : List.of(
        "a",
        "A",
        "\u00e9",
        "e\u0301",
        "a ",
        "a\t",
        "a\n",
        ":a",
        "/a",
        ".a",
        ",a",
        "{a}",
        "{b}",
        "{}",
        "{",
        "}",
        "[a]",
        "%61",
        "*",
        "?",
        "'",
        "\"",
        "\\",
        "\uff41",
        "\u00df",
        "ss",
        "a\u200b",
        "\ud83d\udd12",
        "#1",
        "1",
        "01")) {
      names.add(base + end);
    }
    for (String end : List.of(
        "\u0001a",
        "a\u00ad",
        "a\u200d",
        "a\u00a0",
        "\u00e6",
        "ae",
        "\u0130",
        "i",
        "\u0131",
        "\ud83d\udd11",
        "\u03c3",
        "\u03c2",
        "a-",
        "a_",
        "a.",
        "+",
        "%",
        "|",
        // As paths, in a URL, and in quotes.
        "//a",
        "/./a",
        "/a/",
        "/b/../a",
        "a+",
        "a%20",
        "a\\n",
        "\\\\",
        "''",
        "&amp;",
        "&")) {
      names.add(base + end);
    }
    names.addAll(Collisions.of(base));
    names.add(" " + base + "a");
    names.add("{" + base + "}a");
    int room = LockRequest.MAX_NAME_BYTES - base.getBytes(StandardCharsets.UTF_8).length - 1;
    names.add(base + "x".repeat(room) + "a");
    names.add(base + "x".repeat(room) + "b");
    // Far longer as escapes or as digits.
    names.add(base + "\u00e9".repeat(room / 2) + "a");
    names.add(base + "\u00e9".repeat(room / 2) + "b");
    for (int length : List.of(32, 64, 128, 191, 250, 255, 512)) {
      String middle = "y".repeat(Math.min(length, room));
      names.add("1" + base + middle);
      names.add("2" + base + middle);
    }
    return names;
  }
}
