package dev.interlock.postgres;

import dev.interlock.spi.Attempt;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.Renewal;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.apache.ibatis.annotations.Param;
import org.jspecify.annotations.Nullable;

/** The statements of {@code LockMapper.xml}. */
interface LockMapper {

  Answer acquire(
      @Param("key") byte[] key,
      @Param("client") long client,
      @Param("host") byte[] host,
      @Param("asks") Asking asks);

  Answer leave(@Param("key") byte[] key, @Param("client") long client, @Param("id") HoldId id);

  List<Answer> operate(
      @Param("key") byte[] key,
      @Param("client") long client,
      @Param("host") byte[] host,
      @Param("operations") List<Step> operations);

  /** How long a waiter stays in the queue without a sign of life. */
  long LONGEST_STAY_US = 10_000_000;

  Answer force(@Param("key") byte[] key, @Param("client") long client, @Param("token") long token);

  List<Answer> renew(@Param("items") List<Item> items);

  @Nullable
  Answer pending(@Param("key") byte[] key, @Param("id") HoldId id);

  @Nullable
  Inspection inspect(@Param("key") byte[] key);

  List<Inspection> list(
      @Param("after") byte @Nullable [] after,
      @Param("start") byte[] start,
      @Param("end") byte[] end,
      @Param("limit") int limit);

  String tell(@Param("channel") String channel, @Param("message") String message);

  /**
   * What is wanted of a lock.
   *
   * @param leaving what is given up, first of all the hold that is released; may be empty
   * @param asks the attempt; null for none
   */
  record Step(List<HoldId> leaving, @Nullable Asking asks) {}

  /** One attempt. */
  final class Asking {
    final HoldId id;
    final byte[] owner;
    final boolean shared;
    final long leaseUs;
    final int tokens;
    final long stayUs;

    Asking(Attempt attempt) {
      this.id = attempt.id();
      this.owner = attempt.owner().getBytes(StandardCharsets.UTF_8);
      this.shared = attempt.sharedOwner();
      this.leaseUs = Micros.of(attempt.lease());
      this.tokens = attempt.tokens();
      this.stayUs = attempt.waits()
          ? Math.min(LONGEST_STAY_US, Micros.of(attempt.patience()) + 1_000_000)
          : 0;
    }
  }

  /** One renewal. */
  final class Item {
    final byte[] key;
    final HoldId id;
    final long leaseUs;
    final long minToken;

    Item(byte[] key, Renewal renewal) {
      this.key = key;
      this.id = renewal.id();
      this.leaseUs = Micros.of(renewal.lease());
      this.minToken = renewal.minToken();
    }
  }

  /** The type {@code answer} of {@code schema.sql}. */
  final class Answer {
    static final int HOLDS = 1;
    static final int WAITS = 2;

    int n;
    boolean held;
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
    Long @Nullable [] heirs;

    @Nullable
    String victims;

    boolean isGrantTo(long client) {
      return grantClient != null && grantClient == client;
    }

    /** The waiters of this client to whom it may pass the lock. */
    List<HoldId> heirs(long client) {
      return heirs == null
          ? List.of()
          : Arrays.stream(heirs).map(hold -> new HoldId(client, hold)).toList();
    }
  }

  /** Who holds a lock. */
  final class Inspection {
    byte[] lockKey = {};
    byte[] owner = {};
    byte[] host = {};
    long sinceUs;
    long token;
    long remainingUs;
    int waiters;
  }
}
