package dev.interlock.testservers.internal.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.testservers.TestServerException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FreePortsTest {
  private final List<Integer> tried = new ArrayList<>();

  @Test
  void another_port_is_tried_when_a_process_has_taken_the_first_one() {
    int port = FreePorts.startOnNext(chosen -> {
      tried.add(chosen);
      if (tried.size() < 3) {
        throw new TestServerException("Its log:\n bind: Address already in use");
      }
      return chosen;
    });

    assertThat(tried).hasSize(3).doesNotHaveDuplicates().endsWith(port);
  }

  @Test
  void ports_that_are_taken_again_and_again_are_an_error() {
    assertThatThrownBy(() -> fail("bind: Address already in use"))
        .isInstanceOf(TestServerException.class);

    assertThat(tried).hasSize(3);
  }

  @Test
  void a_server_that_fails_for_another_reason_is_not_started_again() {
    assertThatThrownBy(() -> fail("unknown option")).hasMessage("unknown option");

    assertThat(tried).hasSize(1);
  }

  private void fail(String message) {
    FreePorts.startOnNext(chosen -> {
      tried.add(chosen);
      throw new TestServerException(message);
    });
  }
}
