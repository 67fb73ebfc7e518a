package dev.interlock.fencing.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Statement;
import org.junit.jupiter.api.Test;

class FencedWritesTest {

  @Test
  void aTableIsNamedByAnIdentifier() {
    assertThat(FencedWrites.inTable("app.fence").ddl()).startsWith("CREATE TABLE app.fence (");
    assertThat(FencedWrites.create().ddl()).contains(" interlock_fence ");
    for (String table : new String[] {"", "a b", "a;DROP TABLE b", "a.b.c", "1a", "a\"b"}) {
      assertThatThrownBy(() -> FencedWrites.inTable(table))
          .as(table)
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void aNumberThatTheDriverDoesNotTellIsNoWrite() {
    assertThatThrownBy(() -> FencedWrites.requireWritten(Statement.SUCCESS_NO_INFO, "stock", 4))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'stock'")
        .hasMessageContaining("-2");
  }
}
