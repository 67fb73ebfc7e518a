package dev.interlock.testservers.internal.control;

/** Where a server is for its clients, and who they are there. */
public interface ServerEndpoint {
  String host();

  int port();

  /** The address with credentials. */
  String uri();
}
