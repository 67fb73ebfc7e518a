package dev.interlock.mysql.internal.statements;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.stream.Collectors;
import org.apache.ibatis.mapping.MappedStatement;
import org.apache.ibatis.mapping.SqlCommandType;
import org.junit.jupiter.api.Test;

class MappersTest {

  /** To MyBatis a statement that answers rows is a reading one unless told otherwise. */
  @Test
  void whatAnswersRowsAndWritesIsMarkedSo() {
    Set<String> marked =
        Mappers.create("interlock_", false, false).getConfiguration().getMappedStatements().stream()
            .filter(statement -> statement.getSqlCommandType() == SqlCommandType.SELECT)
            .filter(MappedStatement::isDirtySelect)
            .map(statement -> statement.getId().replaceFirst(".*\\.", ""))
            .collect(Collectors.toSet());
    assertThat(marked)
        .containsExactlyInAnyOrder(
            "enqueue",
            "executeHandOver",
            "handOver",
            "handOverWaking",
            "renewHolds",
            "renewParts",
            "refreshWaiters");
  }
}
