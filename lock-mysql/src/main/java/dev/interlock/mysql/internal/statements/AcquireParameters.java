package dev.interlock.mysql.internal.statements;

import dev.interlock.mysql.internal.queue.LocalClient;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.HoldId;
import dev.interlock.sql.support.Micros;
import dev.interlock.sql.support.Recheck;
import java.nio.charset.StandardCharsets;

/**
 * The arguments of {@link LockMapper#acquire} and {@link LockMapper#enqueue}, and the token that
 * comes back with the answer of the first.
 */
public final class AcquireParameters {
  final LockKey at;
  final HoldId id;
  final byte[] owner;
  final boolean shared;
  final byte[] host;
  final long leaseUs;
  public final int tokens;
  final long stayUs;
  public final boolean listens;
  public long token;

  public AcquireParameters(LockKey at, Attempt attempt, LocalClient me) {
    this.at = at;
    this.id = attempt.id();
    this.owner = attempt.owner().getBytes(StandardCharsets.UTF_8);
    this.shared = attempt.sharedOwner();
    this.host = me.host();
    this.stayUs = Recheck.stayUs(attempt.patience());
    this.listens = me.listens();
    this.leaseUs = Micros.of(attempt.lease());
    this.tokens = attempt.tokens();
  }
}
