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
record Injury(String words, boolean refusesWritesOnly, Begin begin, End end) {
  /** Brings an injury about. */
  interface Begin {
    long act() throws Exception;
  }

  /** Heals an injury. */
  interface End {
    void act() throws Exception;
  }

  /** Those that can be done to a client behind this proxy, while they last. */
  static List<Injury> lasting(RuleRun run, FaultProxy proxy) {
    List<Injury> injuries = new ArrayList<>();
    injuries.add(new Injury("an unreachable server", false, () -> cutOff(proxy), proxy::heal));
    injuries.add(new Injury("a half-open connection", false, () -> hold(proxy), proxy::heal));
    if (run.offers(TckFault.PAUSE)) {
      TckServer server = run.server();
      injuries.add(new Injury("a stalled server", false, hit(server::pause), server::resume));
    }
    if (run.offers(TckFault.RESTART)) {
      TckServer server = run.server();
      injuries.add(new Injury("a crashed server", false, hit(server::kill), server::start));
    }
    if (run.offers(TckFault.READ_ONLY)) {
      TckServer server = run.server();
      injuries.add(new Injury(
          "a read-only server",
          true,
          hit(() -> server.readOnly(true)),
          () -> server.readOnly(false)));
    }
    return injuries;
  }

  /** Those that are over at once, but leave the client with something to repair. */
  static List<Injury> brief(RuleRun run, FaultProxy proxy) {
    List<Injury> injuries = new ArrayList<>();
    injuries.add(new Injury("all connections cut", false, proxy::cut, proxy::heal));
    if (run.offers(TckFault.CLOSE_CLIENTS)) {
      TckServer server = run.server();
      injuries.add(new Injury(
          "all connections closed by the server", false, hit(server::closeClients), () -> {}));
    }
    if (run.offers(TckFault.LOSE_STATE)) {
      TckServer server = run.server();
      injuries.add(
          new Injury("loss of the server's state", false, hit(server::loseState), () -> {}));
    }
    if (run.offers(TckFault.DISTURB)) {
      TckServer server = run.server();
      injuries.add(
          new Injury("transient answers", false, () -> server.disturb() ? 1 : 0, () -> {}));
    }
    return injuries;
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
