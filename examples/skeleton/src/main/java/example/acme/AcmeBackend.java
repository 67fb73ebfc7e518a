package example.acme;

import dev.interlock.HoldInfo;
import dev.interlock.HostPort;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.ClientId;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import java.util.List;
import java.util.Optional;

/**
 * The steps, in the order in which the rules ask for them. Each is one atomic step on the server;
 * write down beside it what happens if the client dies before, within or after it, if the reply is
 * lost, if it runs twice, and if it runs late.
 */
final class AcmeBackend implements LockBackend {
  private final HostPort server;
  private final ClientId client;

  AcmeBackend(HostPort server, ClientId client) {
    this.server = server;
    this.client = client;
  }

  /**
   * Takes the lock if it is free, its lease is over by the server's clock, or the same id holds it.
   * Answers {@code AttemptResult.granted(attempt, token)}, or {@code busy} with when to look again.
   * Without FENCED the token is 0.
   */
  @Override
  public AttemptResult attempt(Attempt attempt) {
    throw toWrite("1. attempt");
  }

  /** Removes the hold if it is there by this id, and tells whether it was. */
  @Override
  public boolean release(String name, HoldId id) {
    throw toWrite("1. release");
  }

  /** Reads who holds the lock: {@code HoldInfo.of(...)}, or empty if nobody does. */
  @Override
  public Optional<HoldInfo> inspect(String name) {
    throw toWrite("1. inspect");
  }

  /** Removes what the attempt of this id left, whether that was granted or not. */
  @Override
  public void abandon(String name, HoldId id) {
    throw toWrite("1. abandon");
  }

  /**
   * Prolongs each hold that is still there by its id: {@code answers.answer(renewal,
   * RenewalResult.held(renewal, token))}, or {@code gone()}. Never shortens a lease.
   */
  @Override
  public void renew(List<Renewal> batch, RenewalAnswers answers) {
    throw toWrite("4. renew");
  }

  /** Removes the hold that has this token, whoever holds it, and tells whether it was there. */
  @Override
  public boolean forceRelease(String name, long fencingToken) {
    throw toWrite("5. forceRelease");
  }

  @Override
  public String server() {
    return "Acme at " + server;
  }

  /** Step 6: closes the connections that this backend opened, also those that are waited on. */
  @Override
  public void close() {}

  private UnsupportedOperationException toWrite(String step) {
    return new UnsupportedOperationException(
        "step " + step + " is to be written, for client " + client.id());
  }
}
