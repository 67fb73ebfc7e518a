package dev.interlock.tck;

import java.util.Set;

/**
 * How the kit injures the server of a backend under test. A backend's author implements what is
 * possible and names it in {@link #faults()}; a rule that needs another fault is INCONCLUSIVE.
 *
 * <p>Every method blocks until the change has happened, is called from one thread at a time, may be
 * called in any state of the server, and throws whatever keeps it from succeeding.
 */
public interface TckServer {

  /**
   * Names what is possible.
   *
   * @return the faults whose methods are implemented
   */
  Set<TckFault> faults();

  /**
   * Makes the server answer again, and accept writes, whatever was done to it. State that is lost
   * stays lost.
   *
   * @throws Exception if the server cannot be healed
   */
  void heal() throws Exception;

  /**
   * Suspends the server, for example by SIGSTOP: connections stay open, nothing is answered.
   *
   * @throws Exception if it does not obey
   */
  default void pause() throws Exception {
    throw new UnsupportedOperationException("pause");
  }

  /**
   * Continues a suspended server, which then handles what was sent to it meanwhile.
   *
   * @throws Exception if it does not obey
   */
  default void resume() throws Exception {
    throw new UnsupportedOperationException("resume");
  }

  /**
   * Ends the server as a crash does, for example by SIGKILL.
   *
   * @throws Exception if it does not obey
   */
  default void kill() throws Exception {
    throw new UnsupportedOperationException("kill");
  }

  /**
   * Starts the server again at its address, with what it had made durable.
   *
   * @throws Exception if it does not start
   */
  default void start() throws Exception {
    throw new UnsupportedOperationException("start");
  }

  /**
   * Removes all state of all locks, also counters, while the server runs: as after a failover to an
   * empty replica.
   *
   * @throws Exception if it does not obey
   */
  default void loseState() throws Exception {
    throw new UnsupportedOperationException("loseState");
  }

  /**
   * Closes every connection of every client on the server's side, for example by CLIENT KILL.
   *
   * @throws Exception if it does not obey
   */
  default void closeClients() throws Exception {
    throw new UnsupportedOperationException("closeClients");
  }

  /**
   * Makes some of the next commands of clients meet a transient answer, one that says "again" and
   * not "no": forgotten scripts, an aborted transaction, a deadlock. Called again and again.
   *
   * @return whether there was anything to disturb
   * @throws Exception if it does not obey
   */
  default boolean disturb() throws Exception {
    throw new UnsupportedOperationException("disturb");
  }

  /**
   * Makes the server refuse writes, as a replica does, or take them again.
   *
   * @param on whether it refuses
   * @throws Exception if it does not obey
   */
  default void readOnly(boolean on) throws Exception {
    throw new UnsupportedOperationException("readOnly");
  }

  /**
   * Makes the server refuse whatever would need more room, or take it again. What it keeps already
   * stays, and may be changed and removed.
   *
   * @param on whether it is full
   * @throws Exception if it does not obey
   */
  default void full(boolean on) throws Exception {
    throw new UnsupportedOperationException("full");
  }

  /**
   * Puts something that no provider can read in the place of the state of one lock, as other
   * software may do that uses the same place. The other locks stay as they are.
   *
   * @param name the lock, which is held
   * @throws Exception if it does not obey
   */
  default void spoil(String name) throws Exception {
    throw new UnsupportedOperationException("spoil");
  }
}
