package dev.interlock.quorum;

import dev.interlock.tck.TckFault;
import dev.interlock.tck.TckServer;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Does to all members what the kit does to a server. */
final class AllFaults implements TckServer {
  private final List<TckServer> members;

  AllFaults(List<TckServer> members) {
    this.members = members;
  }

  @FunctionalInterface
  private interface Fault {
    void on(TckServer member) throws Exception;
  }

  private void each(Fault fault) throws Exception {
    for (TckServer member : members) {
      fault.on(member);
    }
  }

  @Override
  public Set<TckFault> faults() {
    EnumSet<TckFault> common = EnumSet.allOf(TckFault.class);
    members.forEach(member -> common.retainAll(member.faults()));
    return common;
  }

  @Override
  public void heal() throws Exception {
    each(TckServer::heal);
  }

  @Override
  public void pause() throws Exception {
    each(TckServer::pause);
  }

  @Override
  public void resume() throws Exception {
    each(TckServer::resume);
  }

  @Override
  public void kill() throws Exception {
    each(TckServer::kill);
  }

  @Override
  public void start() throws Exception {
    each(TckServer::start);
  }

  @Override
  public void loseState() throws Exception {
    each(TckServer::loseState);
  }

  @Override
  public void closeClients() throws Exception {
    each(TckServer::closeClients);
  }

  @Override
  public boolean disturb() throws Exception {
    boolean disturbed = false;
    for (TckServer member : members) {
      disturbed |= member.disturb();
    }
    return disturbed;
  }

  @Override
  public void readOnly(boolean on) throws Exception {
    each(member -> member.readOnly(on));
  }

  @Override
  public void full(boolean on) throws Exception {
    each(member -> member.full(on));
  }

  @Override
  public void spoil(String name) throws Exception {
    each(member -> member.spoil(name));
  }
}
