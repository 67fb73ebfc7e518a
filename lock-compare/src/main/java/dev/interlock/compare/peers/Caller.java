package dev.interlock.compare.peers;

import java.util.concurrent.Callable;

/** On which thread a lease's calls are made. */
interface Caller {

  /** The calling thread itself. */
  Caller DIRECT = new Caller() {
    @Override
    public <T> T call(Callable<T> call) throws InterruptedException {
      return PeerErrors.call(call);
    }

    @Override
    public void end() {}
  };

  <T> T call(Callable<T> call) throws InterruptedException;

  /** There will be no more calls but those of a handle that is used after its release. */
  void end();
}
