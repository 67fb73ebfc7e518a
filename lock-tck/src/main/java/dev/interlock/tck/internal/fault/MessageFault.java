package dev.interlock.tck.internal.fault;

/** What happens to one request, or to the reply to it. */
public enum MessageFault {
  /** The request never reaches the server, and the connection is cut. */
  REQUEST_LOST("a request lost on a cut connection", true),
  /** Half of the request reaches the server, and the connection is cut. */
  REQUEST_TORN("a connection cut in the middle of a request", true),
  /** The request reaches the server late. */
  REQUEST_LATE("a request delayed", true),
  /** The server executes the request, and the connection is cut in place of the reply. */
  REPLY_LOST("a reply lost on a cut connection", false),
  /** The server executes the request, and nothing comes back on this connection any more. */
  REPLY_SWALLOWED("a connection that is half open after a request", false),
  /** The reply comes late. */
  REPLY_LATE("a reply delayed", false),
  /** The reply comes byte by byte. */
  REPLY_FRAGMENTED("a reply in fragments", false);

  private final String words;
  private final boolean onRequest;

  MessageFault(String words, boolean onRequest) {
    this.words = words;
    this.onRequest = onRequest;
  }

  boolean isOnRequest() {
    return onRequest;
  }

  /** Returns the fault in words, for the evidence. */
  public String words() {
    return words;
  }
}
