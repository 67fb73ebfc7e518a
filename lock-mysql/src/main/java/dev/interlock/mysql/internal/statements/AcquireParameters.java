package dev.interlock.mysql.internal.statements;

import dev.interlock.mysql.internal.queue.LocalClient;
import dev.interlock.spi.Attempt;
import dev.interlock.sql.support.AttemptParameters;

/**
 * The arguments of {@link LockMapper#acquire} and {@link LockMapper#enqueue}, and the token that
 * comes back with the answer of the first.
 */
public final class AcquireParameters {
  final LockKey at;
  final AttemptParameters asks;
  final byte[] host;
  public final boolean listens;
  public long token;

  public AcquireParameters(LockKey at, Attempt attempt, LocalClient me) {
    this.at = at;
    this.asks = new AttemptParameters(attempt);
    this.host = me.host();
    this.listens = me.listens();
  }
}
