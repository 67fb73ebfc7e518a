package dev.interlock.compare.peers;

import dev.interlock.Capability;
import dev.interlock.LockClient;
import dev.interlock.tck.ClientSource;
import java.util.Set;

/** Spring Integration's {@code JdbcLockRegistry}. Immutable. */
public final class SpringJdbcLockSource implements ClientSource {

  /** For the kit. */
  public SpringJdbcLockSource() {}

  @Override
  public String id() {
    return "spring-jdbc";
  }

  @Override
  public String version() {
    return SpringJdbcLocks.version();
  }

  @Override
  public Set<Capability> capabilities() {
    return Set.of();
  }

  @Override
  public LockClient open(String uri) {
    return SpringJdbcLocks.open(uri);
  }
}
