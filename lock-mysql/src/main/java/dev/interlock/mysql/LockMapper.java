package dev.interlock.mysql;

import dev.interlock.spi.HoldId;
import java.util.Collection;
import java.util.List;
import org.apache.ibatis.annotations.Param;
import org.jspecify.annotations.Nullable;

/** The statements of LockMapper.xml, which explains each. */
interface LockMapper {
  int acquire(Taking taking);

  @Nullable
  QueuedRow enqueue(Taking taking);

  int release(@Param("at") Place at, @Param("id") HoldId id);

  List<List<?>> openTurn(@Param("at") Place at, @Param("page") int page, @Param("turn") long turn);

  List<List<?>> openTurnAsking(
      @Param("at") Place at,
      @Param("ids") Collection<HoldId> ids,
      @Param("page") int page,
      @Param("turn") long turn);

  List<List<?>> openFirstTurn(
      @Param("at") Place at,
      @Param("ids") Collection<HoldId> ids,
      @Param("page") int page,
      @Param("turn") long turn,
      @Param("forgottenUs") long forgottenUs);

  List<Entry> readShares(@Param("at") Place at);

  List<Entry> readOn(@Param("at") Place at, @Param("after") long ticket, @Param("page") int page);

  void finishTurn(
      @Param("turn") long turn,
      @Param("at") Place at,
      @Param("c") Changes changes,
      @Param("r") LockRow row,
      @Param("rings") Collection<Long> rings);

  void finishHandOver(
      @Param("turn") long turn,
      @Param("at") Place at,
      @Param("gone") long goneTicket,
      @Param("r") LockRow row,
      @Param("ring") long ring);

  void finishFirstTurn(
      @Param("turn") long turn,
      @Param("at") Place at,
      @Param("c") Changes changes,
      @Param("r") LockRow row,
      @Param("s") Sweep sweep,
      @Param("rings") Collection<Long> rings);

  void rollBack();

  void addCounter(@Param("bucket") int bucket);

  List<HeldRow> renewHolds(@Param("holds") List<KnownHold> holds, @Param("leaseUs") long leaseUs);

  List<EntryState> refreshWaiters(
      @Param("entries") List<KnownEntry> entries,
      @Param("entryUs") long entryUs,
      @Param("freshUs") long freshUs,
      @Param("bell") boolean bell);

  List<Letter> mailbox(@Param("client") long client);

  @Nullable
  Long waitAtGate(
      @Param("client") long client,
      @Param("seen") Collection<Long> seen,
      @Param("seconds") long seconds);

  @Nullable
  Long sleep(
      @Param("client") long client,
      @Param("seen") Collection<Long> seen,
      @Param("seconds") double seconds);

  @Nullable
  Long takeBell(@Param("client") long client);

  @Nullable
  Inspection inspect(@Param("at") Place at);
}
