package dev.interlock.quorum;

import dev.interlock.LockClient;
import dev.interlock.LockConfig;
import dev.interlock.LockConfigurationException;
import dev.interlock.spi.LockClients;
import java.util.List;

/** Locks over members that a program configures. Stateless; the clients are thread-safe. */
public final class QuorumLocks {
  private QuorumLocks() {}

  /**
   * Opens a client that needs a majority. Blocks while it connects.
   *
   * @param members the settings of 2 to 9 members, in the same order in every client; their
   *     listeners and executors are not used
   * @return an open client
   * @throws LockConfigurationException if a setting is wrong; names every fault, and no secret
   * @throws dev.interlock.BackendUnavailableException if fewer members than are needed can be
   *     reached
   */
  public static LockClient of(List<LockConfig> members) {
    return of(members, LockConfig.builder(QuorumProvider.ID).build());
  }

  /**
   * Opens a client.
   *
   * @param members as for {@link #of(List)}
   * @param config of provider "quorum"; may set {@link dev.interlock.CommonOptions} except for the
   *     namespace, {@link QuorumOptions#NEED} and {@link QuorumOptions#LONGEST_LEASE}, and may have
   *     listeners and an executor
   * @return an open client
   * @throws LockConfigurationException if a setting is wrong; names every fault, and no secret
   * @throws dev.interlock.BackendUnavailableException if fewer members than are needed can be
   *     reached
   */
  public static LockClient of(List<LockConfig> members, LockConfig config) {
    QuorumProvider provider = new QuorumProvider(List.copyOf(members));
    return LockClients.open(provider, config, context -> provider.open(config, context));
  }
}
