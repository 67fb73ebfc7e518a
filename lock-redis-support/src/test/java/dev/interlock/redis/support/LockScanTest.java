package dev.interlock.redis.support;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.BackendUnavailableException;
import dev.interlock.HoldInfo;
import dev.interlock.spi.HoldPage;
import dev.interlock.spi.HoldQuery;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class LockScanTest {
  private final KeyLayout layout = new KeyLayout("ns");
  private final TreeMap<String, List<String>> servers = new TreeMap<>();
  private final LockScan scan = new LockScan(layout, new OneKeyAStep(), LockScanTest::held);

  @Test
  void goes_through_one_server_after_the_other() {
    servers.putAll(Map.of(
        "a:1", List.of(key("one"), "foreign", key("two")),
        "b:1", List.of("foreign"),
        "c:1", List.of(key("three"), key("other"))));

    assertThat(all(HoldQuery.of(1))).containsExactly("one", "two", "three", "other");
    assertThat(all(HoldQuery.of(1).withPrefix("t"))).containsExactly("two", "three");
  }

  @Test
  void begins_again_when_the_server_where_it_stood_has_no_locks_any_more() {
    servers.put("a:1", List.of(key("one"), key("two")));
    servers.put("b:1", List.of(key("three")));
    HoldPage first = scan.list(HoldQuery.of(1));

    servers.put("a:2", servers.remove("a:1"));

    assertThat(all(HoldQuery.of(1).withAfter(first.next().orElseThrow())))
        .containsExactly("one", "two", "three");
  }

  @Test
  void a_position_that_no_page_gave_is_refused() {
    servers.put("a:1", List.of());
    for (String wrong : List.of("", "a:1", "a:1 x", "a:1 ")) {
      assertThatThrownBy(() -> scan.list(HoldQuery.of(1).withAfter(wrong)))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void E3_a_cluster_without_masters_cannot_be_listed() {
    assertThatThrownBy(() -> scan.list(HoldQuery.of(1)))
        .isInstanceOf(BackendUnavailableException.class);
  }

  private List<String> all(HoldQuery query) {
    List<String> names = new ArrayList<>();
    HoldPage page = scan.list(query);
    while (true) {
      page.holds().forEach(hold -> names.add(hold.name()));
      if (page.next().isEmpty()) {
        return names;
      }
      page = scan.list(query.withAfter(page.next().orElseThrow()));
    }
  }

  private String key(String name) {
    return new String(layout.keys(name).lock(), UTF_8);
  }

  private static List<HoldInfo> held(List<LockKeys> locks) {
    return locks.stream()
        .map(keys ->
            HoldInfo.of(keys.name(), "owner", "host", Instant.EPOCH, Duration.ofSeconds(1), 1, 0))
        .toList();
  }

  /** The cursor is the number of keys that were passed. */
  private final class OneKeyAStep implements LockScan.Scanned {
    @Override
    public SortedSet<String> servers() {
      return new TreeSet<>(servers.keySet());
    }

    @Override
    public LockScan.Step scan(String server, byte[] cursor, byte[] pattern, int count) {
      int at = Integer.parseInt(new String(cursor, ISO_8859_1));
      List<String> keys = servers.getOrDefault(server, List.of());
      List<byte[]> found =
          keys.stream().skip(at).limit(1).map(key -> key.getBytes(UTF_8)).toList();
      int next = at + 1 < keys.size() ? at + 1 : 0;
      return new LockScan.Step(Integer.toString(next).getBytes(ISO_8859_1), found);
    }
  }
}
