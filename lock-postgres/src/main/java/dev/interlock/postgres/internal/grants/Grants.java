package dev.interlock.postgres.internal.grants;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.interlock.postgres.internal.statements.Calls;
import dev.interlock.postgres.internal.statements.Database;
import dev.interlock.postgres.internal.statements.LockMapper;
import dev.interlock.postgres.internal.statements.LockMapper.Answer;
import dev.interlock.postgres.internal.statements.LockMapper.Shared;
import dev.interlock.spi.BackendEvents;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.sql.support.Micros;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Passes on what a step did to waiters, of this client and of others. Thread-safe. */
public final class Grants implements GrantListener.Heard {
  private final long client;
  private final String namespace;
  private final Waiters waiters;
  private final Calls calls;
  private final Notifier notifier;
  private volatile @Nullable BackendEvents events;

  public Grants(long client, String namespace, Database database, Waiters waiters, Calls calls) {
    this.client = client;
    this.namespace = namespace + ":";
    this.waiters = waiters;
    this.calls = calls;
    this.notifier = new Notifier(database);
  }

  public void tell(BackendEvents listener) {
    events = listener;
  }

  /** The grant to a waiter of this client, from the queue, of which an answer tells. */
  public Grant of(String name, Answer answer) {
    return of(name, grantee(answer), answer.grantToken, answer.grantTokens, answer.grantUs)
        .withHeirs(answer.heirs(client));
  }

  /** What a waiter of this client has, which therefore waits no more. */
  private Grant of(String name, HoldId id, long token, int tokens, long us) {
    waiters.remove(name, id);
    calls.granted(name);
    return Grant.of(name, id, token, Micros.toDuration(us)).withTokens(tokens);
  }

  private static HoldId grantee(Answer answer) {
    return new HoldId(Objects.requireNonNull(answer.grantClient), answer.grantHold);
  }

  /**
   * Tells the waiters that have the lock since this step.
   *
   * @param asked who is told by the answer itself
   */
  public void passOn(String name, Answer answer, @Nullable HoldId asked, long sentAt) {
    List<HoldId> others = new ArrayList<>();
    if (answer.isGrantTo(client)) {
      events().granted(of(name, answer), sentAt);
    } else if (answer.grantClient != null && !answer.told) {
      notifier.granted(
          key(name),
          grantee(answer),
          new Message.Told(
              answer.grantToken,
              answer.grantTokens,
              answer.grantUs,
              answer.heirs(answer.grantClient)));
    }
    for (Shared one : answer.shared()) {
      HoldId id = one.id();
      if (id.high() != client) {
        others.add(id);
      } else if (!id.equals(asked)) {
        events().granted(of(name, id, one.token(), one.tokens(), one.us()), sentAt);
      }
    }
    if (!others.isEmpty()) {
      notifier.granted(key(name), others);
    }
  }

  /** Tells the holder that its hold was ended by force. */
  public void takenAway(String name, HoldId id) {
    if (id.high() == client) {
      revoked(key(name), id);
    } else {
      notifier.revoked(key(name), id);
    }
  }

  @Override
  public void granted(LockMapper mapper, byte[] key, HoldId id, Message.@Nullable Told told) {
    String name = name(key);
    OptionalLong since = told == null ? OptionalLong.empty() : waiters.since(name, id, told);
    if (told != null && since.isPresent()) {
      Grant grant = of(name, id, told.token(), told.tokens(), told.us());
      events().granted(grant.withHeirs(told.heirs()), since.getAsLong());
      return;
    }
    // Before the question: the server's remaining time counts from a later moment than this.
    long asked = System.nanoTime();
    Answer found = mapper.pending(key, id);
    if (found != null) {
      Grant grant = of(name, id, found.token, found.tokens, found.remainingUs);
      events().granted(grant.withHeirs(found.heirs(client)), asked);
    }
  }

  @Override
  public void revoked(byte[] key, HoldId id) {
    waiters.doubt(name(key), id);
    events().revoked(name(key), id);
  }

  @Override
  public BackendEvents events() {
    return Objects.requireNonNull(events, "subscribe comes first");
  }

  /** A namespace has no colon, so no two locks have one key. */
  public byte[] key(String name) {
    return (namespace + name).getBytes(UTF_8);
  }

  private String name(byte[] key) {
    return new String(key, UTF_8).substring(namespace.length());
  }
}
