package dev.interlock.postgres.internal.grants;

import dev.interlock.LockException;
import dev.interlock.postgres.internal.statements.Database;
import dev.interlock.spi.HoldId;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Tells other clients what a step did to them, outside of its transaction. If that fails, they find
 * out when they look again. Thread-safe; blocks for I/O.
 */
final class Notifier {
  private static final Logger LOG = System.getLogger(Notifier.class.getName());

  private final Database database;

  Notifier(Database database) {
    this.database = database;
  }

  /** Tells of the grant of a lock to one alone. */
  void granted(byte[] key, HoldId id, Message.Told grant) {
    tell(List.of(id), one -> Message.granted(key, one, grant));
  }

  /** Tells of grants, each client by one statement. */
  void granted(byte[] key, Collection<HoldId> ids) {
    tell(ids, id -> Message.granted(key, id, null));
  }

  void revoked(byte[] key, HoldId id) {
    tell(List.of(id), victim -> Message.revoked(key, victim));
  }

  private void tell(Collection<HoldId> ids, Function<HoldId, Message> message) {
    Map<Long, List<String>> byClient = ids.stream()
        .collect(Collectors.groupingBy(
            HoldId::high, Collectors.mapping(message.andThen(Message::text), Collectors.toList())));
    byClient.forEach((client, messages) -> {
      String channel = GrantListener.channel(HexFormat.of().toHexDigits(client));
      String[] all = messages.toArray(String[]::new);
      try {
        database.run("notification", true, false, mapper -> mapper.tell(channel, all));
      } catch (LockException e) {
        LOG.log(Level.DEBUG, "another client was not told of its grant", e);
      }
    });
  }
}
