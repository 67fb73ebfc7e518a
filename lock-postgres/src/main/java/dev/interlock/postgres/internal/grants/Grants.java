package dev.interlock.postgres.internal.grants;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.interlock.LockException;
import dev.interlock.postgres.internal.statements.Calls;
import dev.interlock.postgres.internal.statements.LockMapper;
import dev.interlock.postgres.internal.statements.LockMapper.Answer;
import dev.interlock.postgres.internal.statements.LockMapper.Shared;
import dev.interlock.spi.BackendEvents;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.sql.support.Database;
import dev.interlock.sql.support.Micros;
import dev.interlock.sql.support.Session;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Passes on what a step did to waiters, of this client and of others. Thread-safe; blocks for I/O.
 */
public final class Grants {
  private static final Logger LOG = System.getLogger(Grants.class.getName());

  private final long client;
  private final String namespace;
  private final Waiters waiters;
  private final Calls calls;
  private final Database<Session<LockMapper>> database;
  private volatile @Nullable BackendEvents events;

  public Grants(
      long client,
      String namespace,
      Database<Session<LockMapper>> database,
      Waiters waiters,
      Calls calls) {
    this.client = client;
    this.namespace = namespace + ":";
    this.waiters = waiters;
    this.calls = calls;
    this.database = database;
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
    List<Message> messages = new ArrayList<>();
    if (answer.isGrantTo(client)) {
      events().granted(of(name, answer), sentAt);
    } else if (answer.grantClient != null && !answer.told) {
      messages.add(Message.granted(key(name), grantee(answer)));
    }
    for (Shared one : answer.shared()) {
      HoldId id = one.id();
      if (id.high() != client) {
        messages.add(Message.granted(key(name), id));
      } else if (!id.equals(asked)) {
        events().granted(of(name, id, one.token(), one.tokens(), one.us()), sentAt);
      }
    }
    tell(messages);
  }

  /**
   * Tells other clients what a step did to them, outside of its transaction, each by one statement.
   * If that fails, they find out when they look again.
   */
  private void tell(List<Message> messages) {
    Map<Long, List<String>> byClient = messages.stream()
        .collect(Collectors.groupingBy(
            message -> message.id().high(),
            Collectors.mapping(Message::text, Collectors.toList())));
    byClient.forEach((other, texts) -> {
      String channel = GrantListener.channel(HexFormat.of().toHexDigits(other));
      String[] all = texts.toArray(String[]::new);
      try {
        database.run("notification", true, session -> session.mapper().tell(channel, all));
      } catch (LockException e) {
        LOG.log(Level.DEBUG, "another client was not told of its grant", e);
      }
    });
  }

  /** Tells the holder that its hold was ended by force. */
  public void takenAway(String name, HoldId id) {
    if (id.high() == client) {
      revoked(key(name), id);
    } else {
      tell(List.of(Message.revoked(key(name), id)));
    }
  }

  /**
   * Another client granted a lock to a waiter of this one.
   *
   * @param mapper for a look at it
   * @param told what the message says of it; null if it says no more
   */
  void granted(LockMapper mapper, byte[] key, HoldId id, Message.@Nullable Told told) {
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

  /** A hold of this client was ended by force. */
  void revoked(byte[] key, HoldId id) {
    waiters.doubt(name(key), id);
    events().revoked(name(key), id);
  }

  BackendEvents events() {
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
