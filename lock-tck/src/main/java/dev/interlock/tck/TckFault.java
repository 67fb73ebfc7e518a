package dev.interlock.tck;

/** A kind of injury that a rule may need. Each is optional, and asked of {@link TckServer}. */
public enum TckFault {
  /**
   * Connections that lose replies, stall, and are cut. The kit does it by itself, with a proxy
   * before the server, wherever the backend's URI names one host with its port, or the port is
   * known from the default of the provider's option for hosts.
   */
  CONNECTION,
  /** {@link TckServer#pause()} and {@link TckServer#resume()}. */
  PAUSE,
  /** {@link TckServer#kill()} and {@link TckServer#start()}. */
  RESTART,
  /** {@link TckServer#loseState()}. */
  LOSE_STATE,
  /** {@link TckServer#closeClients()}. */
  CLOSE_CLIENTS,
  /** {@link TckServer#disturb()}. */
  DISTURB,
  /** {@link TckServer#readOnly(boolean)}. */
  READ_ONLY,
  /** {@link TckServer#full(boolean)}. */
  FULL,
  /** {@link TckServer#spoil(String)}. */
  SPOIL
}
