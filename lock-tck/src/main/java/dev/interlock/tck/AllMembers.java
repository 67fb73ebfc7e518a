package dev.interlock.tck;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.FutureTask;

/** Does to all members what the kit does to a server. */
final class AllMembers implements TckServer {
  private final List<TckServer> servers;

  AllMembers(TckMembers members) {
    this.servers = members.all().stream().map(TckMembers.Member::server).toList();
  }

  @FunctionalInterface
  private interface Fault {
    void on(TckServer member) throws Exception;
  }

  /** At once: members that come back together are to be seen together. */
  private void each(Fault fault) throws Exception {
    List<FutureTask<Boolean>> tasks = new ArrayList<>();
    for (TckServer member : servers) {
      FutureTask<Boolean> task = new FutureTask<>(() -> {
        fault.on(member);
        return true;
      });
      tasks.add(task);
      Thread thread = new Thread(task, "tck-members");
      thread.setDaemon(true);
      thread.start();
    }
    for (FutureTask<Boolean> task : tasks) {
      task.get();
    }
  }

  @Override
  public Set<TckFault> faults() {
    EnumSet<TckFault> common = EnumSet.allOf(TckFault.class);
    servers.forEach(member -> common.retainAll(member.faults()));
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
    for (TckServer member : servers) {
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
