package dev.interlock.quorum;

import dev.interlock.Capability;
import dev.interlock.LockConfig;
import dev.interlock.Option;
import dev.interlock.quorum.internal.member.Membership;
import dev.interlock.spi.BackendContext;
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.LockProvider;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Found by {@link java.util.ServiceLoader} under the id {@value #ID}; applications use
 * {@link dev.interlock.Locks} or {@link QuorumLocks}. Stateless.
 */
public final class QuorumProvider implements LockProvider {
  static final String ID = "quorum";

  private final @Nullable List<LockConfig> members;

  /** Called by the service loader. */
  public QuorumProvider() {
    this.members = null;
  }

  /** With members that a program configures, instead of the option {@link QuorumOptions#MEMBER}. */
  QuorumProvider(List<LockConfig> members) {
    this.members = members;
  }

  private boolean hasMembers(LockConfig config) {
    return members != null || config.find(QuorumOptions.MEMBER).isPresent();
  }

  @Override
  public String id() {
    return ID;
  }

  /**
   * {@inheritDoc} What all members promise, except holds that several share; without members, all
   * that there may be.
   */
  @Override
  public Set<Capability> capabilities(LockConfig config) {
    return hasMembers(config)
        ? Settings.read(config, members).capabilities()
        : Membership.keepable();
  }

  @Override
  public List<Option<?>> options() {
    return members == null
        ? List.of(QuorumOptions.MEMBER, QuorumOptions.NEED, QuorumOptions.LONGEST_LEASE)
        : List.of(QuorumOptions.NEED, QuorumOptions.LONGEST_LEASE);
  }

  @Override
  public List<String> conflicts(LockConfig config) {
    return Settings.faults(config, members);
  }

  @Override
  public LockBackend open(LockConfig config, BackendContext context) {
    return QuorumBackend.open(Settings.read(config, members), context);
  }
}
