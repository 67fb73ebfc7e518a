package dev.interlock.testservers;

import org.junit.jupiter.api.Tag;

@Tag("thorough")
class PostgresPairTest extends DatabasePairContract {
  PostgresPairTest() {
    super(
        TestPostgres::pair,
        "SELECT STRING_AGG(id::TEXT, ',' ORDER BY id) FROM kept",
        "PG_IS_IN_RECOVERY()");
  }
}
