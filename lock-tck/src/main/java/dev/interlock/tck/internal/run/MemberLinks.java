package dev.interlock.tck.internal.run;

import dev.interlock.tck.internal.fault.FaultProxy;
import dev.interlock.tck.internal.fault.Injection;
import dev.interlock.tck.internal.fault.MessageFault;
import java.time.Duration;
import java.util.List;

/**
 * What lies between a client and the members of its backend: a proxy before each of them, so that
 * the client can be cut off from some while other clients reach all. Thread-safe.
 */
public final class MemberLinks {
  private final List<FaultProxy> proxies;

  MemberLinks(List<FaultProxy> proxies) {
    this.proxies = List.copyOf(proxies);
  }

  /** Returns hosts and ports, one for each member. */
  List<String> addresses() {
    return proxies.stream().map(FaultProxy::address).toList();
  }

  /** Refuses connections to a member and cuts those that there are. */
  public void cutOff(int member) {
    proxies.get(member).refuse(true);
    proxies.get(member).cut();
  }

  /** Lets nothing come back from a member; what is sent arrives there. */
  public void silence(int member) {
    proxies.get(member).holdReplies(true);
  }

  /** Delays each request to a member, or each answer, from now on. */
  public Injection delay(int member, MessageFault late, Duration time) {
    return proxies.get(member).inject(Injection.of(late, "", 1, Integer.MAX_VALUE, time));
  }

  /** Lets everything pass again. */
  public void heal() {
    proxies.forEach(FaultProxy::heal);
  }

  /** Returns the address under which the client knows a member. */
  public String address(int member) {
    return addresses().get(member);
  }
}
