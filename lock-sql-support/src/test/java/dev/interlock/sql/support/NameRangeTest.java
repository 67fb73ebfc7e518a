package dev.interlock.sql.support;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class NameRangeTest {
  private static final List<String> NAMES =
      List.of("a", "ab", "ab c", "ab\u007f", "ab\u00e4", "ab\uffff", "ab\udbff\udfff", ":", "z");

  @Test
  void has_the_names_that_begin_with_the_prefix_and_no_others() {
    for (String prefix : List.of("", "a", "ab", "ab\uffff", "ab\udbff\udfff", "z", "\u0001")) {
      NameRange range = new NameRange("ns", prefix);
      for (String name : NAMES) {
        byte[] key = ("ns:" + name).getBytes(UTF_8);
        boolean within = Arrays.compareUnsigned(key, range.start()) >= 0
            && Arrays.compareUnsigned(key, range.end()) < 0;
        assertThat(within).as(prefix + " " + name).isEqualTo(name.startsWith(prefix));
        assertThat(range.name(key).isPresent()).isEqualTo(name.startsWith(prefix));
      }
    }
  }

  @Test
  void keys_of_others_are_of_no_lock() {
    NameRange range = new NameRange("ns", "");
    for (String key : List.of("ns:", "ns", "", "nsx:a", "xs:a", "ns2:a")) {
      assertThat(range.name(key.getBytes(UTF_8))).as(key).isEmpty();
    }
    assertThat(range.name(new byte[] {'n', 's', ':', 'a', (byte) 0xff})).isEmpty();
  }
}
