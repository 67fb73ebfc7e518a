package dev.interlock.tck.internal.run;

import dev.interlock.tck.internal.fault.FaultProxy;
import dev.interlock.tck.internal.fault.Waves;
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

  /** Keeps clients in step from now on, each of which is the first at a member of its own. */
  public static Waves waves(List<MemberLinks> clients, int... own) {
    return Waves.between(clients.stream().map(client -> client.proxies).toList(), own);
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
