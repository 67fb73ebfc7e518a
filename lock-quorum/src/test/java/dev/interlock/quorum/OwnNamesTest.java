package dev.interlock.quorum;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.LockClient;
import dev.interlock.LockConfig;
import dev.interlock.LockException;
import dev.interlock.LockRequest;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class OwnNamesTest {
  @ParameterizedTest(name = "E3 a lock that the quorum needs for itself is refused at once: {0}")
  @ValueSource(
      strings = {"interlock:quorum:mark", "interlock:quorum:voucher", "interlock:quorum:beginning"})
  void areRefused(String name) {
    List<LockConfig> members = Stream.of("one", "two", "three")
        .map(member -> LockConfig.parse("local://?namespace=own-names-" + member))
        .toList();
    try (LockClient client = QuorumLocks.of(members)) {
      assertThatThrownBy(() -> client.acquire(LockRequest.of(name)))
          .isExactlyInstanceOf(LockException.class)
          .hasMessageContaining("is the quorum's own, choose another");
    }
  }
}
