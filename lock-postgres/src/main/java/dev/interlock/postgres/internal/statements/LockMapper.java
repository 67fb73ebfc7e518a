package dev.interlock.postgres.internal.statements;

import dev.interlock.spi.HoldId;
import dev.interlock.spi.Renewal;
import dev.interlock.sql.support.AttemptParameters;
import dev.interlock.sql.support.HoldRow;
import dev.interlock.sql.support.Micros;
import dev.interlock.sql.support.WaiterRow;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.ibatis.annotations.Param;
import org.jspecify.annotations.Nullable;

/** The statements of {@code LockMapper.xml}. */
public interface LockMapper {

  Answer acquire(@Param("at") Place at, @Param("asks") AttemptParameters asks);

  /** An attempt for a part of a lock. */
  Answer enter(@Param("at") Place at, @Param("asks") AttemptParameters asks);

  /** Takes a lock that nobody has or awaits; answers its token. */
  @Nullable
  Long take(@Param("at") Place at, @Param("asks") AttemptParameters asks);

  /** Gives a lock back that nobody awaits. */
  boolean giveBack(@Param("at") Place at, @Param("id") HoldId id);

  /** Ends holds, and tells another client that has the lock since. */
  Answer release(@Param("at") Place at, @Param("ids") Long[] ids);

  /** The same, with attempts behind it. */
  Answer releaseAppending(
      @Param("at") Place at, @Param("ids") Long[] ids, @Param("line") Line line);

  /** Attempts that join the queue. */
  Answer append(@Param("at") Place at, @Param("line") Line line);

  List<Answer> operate(@Param("at") Place at, @Param("operations") List<Step> operations);

  Answer force(@Param("key") byte[] key, @Param("client") long client, @Param("token") long token);

  /** If so asked, without those of which somebody has the row. */
  List<Answer> renew(@Param("items") List<Item> items, @Param("ifFree") boolean ifFree);

  @Nullable
  Answer pending(@Param("key") byte[] key, @Param("id") HoldId id);

  /** A row for each holder. */
  List<HoldRow> inspect(@Param("key") byte[] key);

  /** The same for a part of the locks; a lock that is free has a row without a holder. */
  List<HoldRow> list(
      @Param("after") byte @Nullable [] after,
      @Param("start") byte[] start,
      @Param("end") byte[] end,
      @Param("limit") int limit);

  /** A row for each of the first waiters. */
  List<WaiterRow> waiters(@Param("key") byte[] key, @Param("limit") int limit);

  List<String> tell(@Param("channel") String channel, @Param("messages") String[] messages);

  /** Which lock it is about, and which client asks, where. */
  final class Place {
    final byte[] key;
    final long client;
    final byte[] host;

    public Place(byte[] key, long client, byte[] host) {
      this.key = key;
      this.client = client;
      this.host = host;
    }
  }

  /**
   * What is wanted of a lock.
   *
   * @param leaving what is given up, first of all the hold that is released; may be empty
   * @param asks the attempt; null for none
   */
  record Step(List<HoldId> leaving, @Nullable AttemptParameters asks) {}

  /** Attempts that stand in a line, as arrays. */
  final class Line {
    final Long[] ids;
    final String[] owners;
    final Long[] leasesUs;
    final Integer[] tokens;
    final Long[] staysUs;

    Line(List<AttemptParameters> all) {
      this.ids = all.stream().map(one -> one.id().low()).toArray(Long[]::new);
      this.owners = all.stream().map(AttemptParameters::ownerDigits).toArray(String[]::new);
      this.leasesUs = all.stream().map(AttemptParameters::leaseUs).toArray(Long[]::new);
      this.tokens = all.stream().map(AttemptParameters::tokens).toArray(Integer[]::new);
      this.staysUs = all.stream().map(AttemptParameters::stayUs).toArray(Long[]::new);
    }
  }

  /** One renewal. */
  final class Item {
    final byte[] key;
    final HoldId id;
    final long leaseUs;
    final long minToken;
    final boolean queued;

    public Item(byte[] key, Renewal renewal) {
      this.key = key;
      this.id = renewal.id();
      this.leaseUs = Micros.of(renewal.lease());
      this.minToken = renewal.minToken();
      this.queued = renewal.queued();
    }
  }

  /** The type {@code answer} of {@code functions.sql}. */
  final class Answer {
    public static final int HOLDS = 1;
    public static final int WAITS = 2;
    public static final int WAITS_BEHIND_OWNER = 3;

    public int n;
    public boolean held;
    public int state;
    public long token;
    public int tokens;
    public long remainingUs;

    /** When this client asked, by its own clock. */
    public long askedAt;

    public @Nullable Long grantClient;

    public long grantHold;
    public long grantToken;
    public int grantTokens;
    public long grantUs;
    Long @Nullable [] heirs;
    Long @Nullable [] also;

    public @Nullable String victims;

    /** Whether the other client that was granted the lock was told of it. */
    public boolean told;

    static Answer of(int n, int state, long token, int tokens, long remainingUs) {
      Answer answer = new Answer();
      answer.n = n;
      answer.state = state;
      answer.token = token;
      answer.tokens = tokens;
      answer.remainingUs = remainingUs;
      return answer;
    }

    public boolean isGrantTo(long client) {
      return grantClient != null && grantClient == client;
    }

    /** The waiters of this client to whom it may pass the lock. */
    public List<HoldId> heirs(long client) {
      return heirs == null
          ? List.of()
          : Arrays.stream(heirs).map(hold -> new HoldId(client, hold)).toList();
    }

    /** Those who were granted the lock in this step, where it is shared. */
    public List<Shared> shared() {
      Long[] all = also;
      return all == null
          ? List.of()
          : IntStream.range(0, all.length / 5)
              .map(i -> 5 * i)
              .mapToObj(i -> new Shared(
                  new HoldId(all[i], all[i + 1]), all[i + 2], all[i + 3].intValue(), all[i + 4]))
              .toList();
    }
  }

  /** Who else was granted a lock that is shared. */
  record Shared(HoldId id, long token, int tokens, long us) {}
}
