package dev.interlock.quorum;

import dev.interlock.Capability;
import dev.interlock.LockConfig;
import dev.interlock.Option;
import dev.interlock.spi.LockProvider;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Members in this JVM, each of which a test has behave in its own way. */
abstract class MembersHere implements LockProvider {
  @Override
  public final Set<Capability> capabilities(LockConfig config) {
    return EnumSet.of(Capability.RENEWABLE, Capability.FENCED, Capability.PUSH);
  }

  @Override
  public final List<Option<?>> options() {
    return List.of();
  }
}
