package dev.interlock.tck.internal.rules;

import dev.interlock.tck.TckFault;
import dev.interlock.tck.TckServer;
import dev.interlock.tck.internal.fault.FaultProxy;
import dev.interlock.tck.internal.run.RuleRun;
import java.util.ArrayList;
import java.util.List;

/**
 * Something that goes wrong and later is well again.
 *
 * @param words the fault in words
 * @param refusesWritesOnly whether the server still answers, and refuses
 * @param begin brings it about, and answers how often it was hit
 * @param end heals
 */
record TransientFault(String words, boolean refusesWritesOnly, Begin begin, End end) {
  /** Brings a fault about. */
  interface Begin {
    long act() throws Exception;
  }

  /** Heals a fault. */
  interface End {
    void act() throws Exception;
  }

  /** Those that can be done to a client behind this proxy, while they last. */
  static List<TransientFault> lasting(RuleRun run, FaultProxy proxy) {
    List<TransientFault> faults = new ArrayList<>();
    faults.add(
        new TransientFault("an unreachable server", false, () -> cutOff(proxy), proxy::heal));
    faults.add(new TransientFault("a half-open connection", false, () -> hold(proxy), proxy::heal));
    if (run.offers(TckFault.PAUSE)) {
      TckServer server = run.server();
      faults.add(new TransientFault("a stalled server", false, hit(server::pause), server::resume));
    }
    if (run.offers(TckFault.RESTART)) {
      TckServer server = run.server();
      faults.add(new TransientFault("a crashed server", false, hit(server::kill), server::start));
    }
    if (run.offers(TckFault.READ_ONLY)) {
      TckServer server = run.server();
      faults.add(new TransientFault(
          "a read-only server",
          true,
          hit(() -> server.readOnly(true)),
          () -> server.readOnly(false)));
    }
    return faults;
  }

  /** Those that are over at once, but leave the client with something to repair. */
  static List<TransientFault> brief(RuleRun run, FaultProxy proxy) {
    List<TransientFault> faults = new ArrayList<>();
    faults.add(new TransientFault("all connections cut", false, proxy::cut, proxy::heal));
    if (run.offers(TckFault.CLOSE_CLIENTS)) {
      TckServer server = run.server();
      faults.add(new TransientFault(
          "all connections closed by the server", false, hit(server::closeClients), () -> {}));
    }
    if (run.offers(TckFault.LOSE_STATE)) {
      TckServer server = run.server();
      faults.add(new TransientFault(
          "loss of the server's state", false, hit(server::loseState), () -> {}));
    }
    if (run.offers(TckFault.DISTURB)) {
      TckServer server = run.server();
      faults.add(
          new TransientFault("transient answers", false, () -> server.disturb() ? 1 : 0, () -> {}));
    }
    return faults;
  }

  private static long cutOff(FaultProxy proxy) {
    proxy.refuse(true);
    return proxy.cut();
  }

  private static long hold(FaultProxy proxy) {
    proxy.holdReplies(true);
    return 1;
  }

  /** What returns once it has happened was hit. */
  private static Begin hit(End act) {
    return () -> {
      act.act();
      return 1;
    };
  }
}
