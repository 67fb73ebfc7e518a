package dev.interlock.spring;

import dev.interlock.BackendUnavailableException;
import dev.interlock.LockConfigurationException;
import dev.interlock.LockException;
import dev.interlock.LockProviderNotFoundException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says in words why an application with locks did not start. */
final class InterlockFailureAnalyzer extends AbstractFailureAnalyzer<LockException> {

  @Override
  protected @Nullable FailureAnalysis analyze(Throwable root, LockException cause) {
    String action = action(cause);
    return action == null
        ? null
        : new FailureAnalysis("Locks: " + cause.getMessage(), action, cause);
  }

  private static @Nullable String action(LockException cause) {
    if (cause instanceof LockProviderNotFoundException) {
      return """
          Add the provider that the URI's scheme names, for example dev.interlock:lock-local for \
          local://, lock-redis-hash for redis-hash://, lock-mysql for mysql://; or correct the \
          scheme.""";
    }
    if (cause instanceof LockConfigurationException) {
      return """
          Correct what is named above: the interlock.* properties, or the annotation (@Locked, \
          @LockedJob, @Limited). For a start without a server, set interlock.uri=local:// and add \
          dev.interlock:lock-local.""";
    }
    if (cause instanceof BackendUnavailableException) {
      return """
          Start the server, or correct the address in interlock.uri, or in \
          interlock.clients.<name>.uri if it is that of a named client.""";
    }
    return null;
  }
}
