package dev.interlock.postgres;

import dev.interlock.spi.HoldId;
import java.util.List;
import org.apache.ibatis.annotations.Param;
import org.jspecify.annotations.Nullable;

/** The statements of {@code LockMapper.xml}. */
interface LockMapper {

  Answer attempt(
      @Param("key") byte[] key,
      @Param("id") HoldId id,
      @Param("owner") byte[] owner,
      @Param("shared") boolean shared,
      @Param("host") byte[] host,
      @Param("leaseUs") long leaseUs,
      @Param("tokens") int tokens,
      @Param("stayUs") long stayUs);

  Answer leave(
      @Param("key") byte[] key, @Param("client") long client, @Param("ids") List<HoldId> ids);

  Answer force(@Param("key") byte[] key, @Param("client") long client, @Param("token") long token);

  List<Answer> renew(@Param("items") List<Item> items);

  @Nullable
  Answer pending(@Param("key") byte[] key, @Param("id") HoldId id);

  @Nullable
  Inspection inspect(@Param("key") byte[] key);

  String tell(@Param("channel") String channel, @Param("message") String message);

  /** One renewal. */
  final class Item {
    final byte[] key;
    final HoldId id;
    final long leaseUs;

    Item(byte[] key, HoldId id, long leaseUs) {
      this.key = key;
      this.id = id;
      this.leaseUs = leaseUs;
    }
  }

  /** The type {@code answer} of {@code schema.sql}. */
  final class Answer {
    static final int HOLDS = 1;
    static final int WAITS = 2;

    int n;
    int state;
    long token;
    int tokens;
    long remainingUs;

    @Nullable
    Long grantClient;

    long grantHold;
    long grantToken;
    int grantTokens;
    long grantUs;

    @Nullable
    String victims;
  }

  /** Who holds a lock. */
  final class Inspection {
    byte[] owner = {};
    byte[] host = {};
    long sinceUs;
    long token;
    long remainingUs;
    int waiters;
  }
}
