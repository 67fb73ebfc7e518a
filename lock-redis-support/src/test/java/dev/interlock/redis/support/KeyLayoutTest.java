package dev.interlock.redis.support;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KeyLayoutTest {
  private final KeyLayout layout = new KeyLayout("ns");

  @Test
  void theBucketOfANameIsFixedForGood() {
    assertThat(layout.keys("invoice").lock()).asString(UTF_8).isEqualTo("{ns:187}:lock:invoice");
    assertThat(layout.keys("invoice").token()).asString(UTF_8).isEqualTo("{ns:187}:token");
    assertThat(layout.keys("größe").lock()).asString(UTF_8).isEqualTo("{ns:155}:lock:größe");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "plain",
        "{",
        "}",
        "{}",
        "{x}",
        "}:lock:",
        "{ns:1}:lock:a",
        "a:b",
        "a b",
        "a\nb",
        "\u0001",
        "\uD83D\uDD12",
        "e\u0301",
        "\u00e9",
        "%2F",
        "*?[a]"
      })
  void anyNameLeavesTheHashTagAloneAndIsFoundAgainInItsKey(String name) {
    LockKeys keys = layout.keys(name);
    String tag = "{ns:" + KeyLayout.bucket(name.getBytes(UTF_8)) + "}";

    for (byte[] key :
        List.of(keys.lock(), keys.token(), keys.waiting(), keys.due(), layout.mark(keys))) {
      assertThat(hashTag(new String(key, UTF_8))).isEqualTo(tag);
    }
    assertThat(new String(keys.lock(), UTF_8)).endsWith("}:lock:" + name);
    assertThat(layout.lockAt(keys.lock())).map(LockKeys::name).contains(name);
    for (byte[] other : List.of(keys.token(), keys.waiting(), keys.due(), layout.mark(keys))) {
      assertThat(layout.lockAt(other)).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "invoice",
        "{ns:186}:lock:invoice",
        "{ns:0187}:lock:invoice",
        "{ns:+187}:lock:invoice",
        "{other:187}:lock:invoice",
        "{ns:187}:lock:",
        "x{ns:187}:lock:invoice",
        "{ns:187}:wait:{ns:187}:lock:invoice"
      })
  void a_key_of_other_software_is_of_no_lock(String key) {
    assertThat(layout.lockAt(key.getBytes(UTF_8))).isEmpty();
  }

  @Test
  void a_key_that_is_no_utf_8_is_of_no_lock() {
    byte[] key = layout.keys("invoice").lock().clone();
    key[key.length - 1] = (byte) 0xff;

    assertThat(layout.lockAt(key)).isEmpty();
  }

  @Test
  void what_means_something_in_a_pattern_means_itself_in_a_name() {
    assertThat(layout.lockPattern("")).asString(UTF_8).isEqualTo("{ns:*}:lock:*");
    assertThat(layout.lockPattern("a*?[b-c]\\^{d}"))
        .asString(UTF_8)
        .isEqualTo("{ns:*}:lock:a\\*\\?\\[b-c\\]\\\\^{d}*");
  }

  @Test
  void X4_namesThatLookAlikeHaveDifferentKeys() {
    List<String> names =
        List.of("a", "A", "a ", " a", "a:", ":a", "e\u0301", "\u00e9", "{a}", "a\u200b", "wait:a");
    Set<String> keys = new HashSet<>();
    for (String name : names) {
      LockKeys of = layout.keys(name);
      for (byte[] key : List.of(of.lock(), of.waiting(), of.due())) {
        keys.add(new String(key, UTF_8));
      }
    }
    assertThat(keys).hasSize(3 * names.size());
  }

  @Test
  void X4_halfASurrogatePairIsRefusedSinceItWouldBecomeAQuestionMark() {
    assertThatThrownBy(() -> layout.keys("a\uD800"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("surrogate");
  }

  @Test
  void M3_namesSpreadOverAllBucketsAndNoMore() {
    int[] used = new int[KeyLayout.BUCKETS];
    IntStream.range(0, 100_000)
        .forEach(i -> used[KeyLayout.bucket(("order-" + i).getBytes(UTF_8))]++);
    assertThat(IntStream.of(used).min().getAsInt()).isGreaterThan(250);
    assertThat(IntStream.of(used).max().getAsInt()).isLessThan(550);
  }

  @Test
  void mailboxesAreApartByNamespaceAndClient() {
    assertThat(layout.mailbox("0123456789abcdef"))
        .asString(UTF_8)
        .isEqualTo("ns:mailbox:0123456789abcdef");
    assertThat(layout.mailboxPrefix()).asString(UTF_8).isEqualTo("ns:mailbox:");
  }

  @Test
  void everyBucketHasKeysThatAreNoLocks() {
    for (int bucket = 0; bucket < KeyLayout.BUCKETS; bucket++) {
      LockKeys nobodys = layout.nobodys(bucket);
      assertThat(nobodys.token()).asString(UTF_8).isEqualTo("{ns:" + bucket + "}:token");
      assertThat(layout.lockAt(nobodys.lock())).isEmpty();
    }
  }

  /** As the cluster specification defines it. */
  private static String hashTag(String key) {
    int open = key.indexOf('{');
    int close = key.indexOf('}', open + 1);
    return key.substring(open, close + 1);
  }
}
