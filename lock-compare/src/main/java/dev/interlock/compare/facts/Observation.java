package dev.interlock.compare.facts;

import dev.interlock.compare.servers.Backend;
import dev.interlock.tck.Effort;
import java.util.List;

/** Brings something about on a real server, and says what happened. */
public interface Observation {
  /** All of them; those that injure the server come last. */
  List<Observation> ALL = List.of(
      new HolderKilled(),
      new HolderPaused(),
      new ReplyLost(),
      new WaiterInterrupted(),
      new ManyWaiters(),
      new NameUsedOnce(),
      new Idle(),
      new ClientClock(),
      new ServerClock(),
      new Rights(),
      new StateLost(),
      new ServerKilled(),
      new FailOver());

  /** What it brings about. */
  Happening happening();

  /**
   * Does it. Blocks for a few seconds, or for a minute where it starts servers of its own or makes
   * more than the least effort; on a machine that stalls, for some minutes. Nothing else may use
   * the server meanwhile.
   *
   * @throws Exception if it could not be brought about, or nothing came of it in a bounded time
   */
  Fact observe(Backend backend, Effort effort) throws Exception;

  /**
   * Observes, once more if it could not be brought about: on a machine that stalls, a lease may
   * end, or a connection time out, before anything has happened to it.
   *
   * @throws Exception if it could not be brought about twice
   */
  static Fact observeOrRepeat(Observation observation, Backend backend, Effort effort)
      throws Exception {
    try {
      return observation.observe(backend, effort);
    } catch (InterruptedException e) {
      throw e;
    } catch (Exception first) {
      if (backend.faults().isPresent()) {
        backend.faults().get().heal();
      }
      return observation.observe(backend, effort);
    }
  }
}
