package dev.interlock.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.LockKind;
import dev.interlock.LostReason;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class HoldIndexTest {
  private static final Grantee GRANTEE =
      new Grantee("x", null, "test", false, 1, true, false, false, LockKind.EXCLUSIVE, 1, 1);

  private final HoldIndex index = new HoldIndex();
  private final Hold later = hold(2);
  private final Hold overtaken = hold(1);

  @SuppressWarnings("NullAway") // the index asks for nothing of the server's part of it
  private static Hold hold(long token) {
    return new Hold(null, GRANTEE, token);
  }

  @Test
  @DisplayName("of two holds the later grant stands for the client, whichever was heard of first")
  void restores() {
    index.add(later);
    assertThat(index.add(overtaken)).containsExactly(later);
    index.restore(later, overtaken);
    assertThat(index.exclusive("x")).isSameAs(later);
  }

  @Test
  @DisplayName("one that has ended stands in no other's place")
  void keepsWhatIsThere() {
    index.add(later);
    index.add(overtaken);
    later.lose(LostReason.GONE);
    index.restore(later, overtaken);
    assertThat(index.exclusive("x")).isSameAs(overtaken);
  }
}
