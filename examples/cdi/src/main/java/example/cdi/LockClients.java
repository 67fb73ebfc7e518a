package example.cdi;

import dev.interlock.LockClient;
import dev.interlock.Locks;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Disposes;
import jakarta.enterprise.inject.Produces;

/** One client for the whole application, opened when it is first used. */
@ApplicationScoped
class LockClients {

  /** From the system property interlock.uri, or the environment variable INTERLOCK_URI. */
  @Produces
  @ApplicationScoped
  LockClient open() {
    return Locks.open();
  }

  void close(@Disposes LockClient locks) {
    locks.close();
  }
}
