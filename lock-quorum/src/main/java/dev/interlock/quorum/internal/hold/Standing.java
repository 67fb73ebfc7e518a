package dev.interlock.quorum.internal.hold;

import dev.interlock.BackendUnavailableException;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.quorum.internal.member.Member;
import dev.interlock.quorum.internal.member.Round;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.HoldId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What one attempt of this client, and the hold that comes of it, has on the members. What is asked
 * of one member for it is asked in order, so that a release never overtakes the attempt that hangs.
 *
 * <p>What gives a vote back may be without an answer, and reach the member at any later time. It
 * would take away a vote that was asked for meanwhile and counts, so that member is not asked for a
 * vote any more. A further attempt that needs it goes by another id, which nothing gives back, and
 * a hold by another id on that member only.
 *
 * <p>A vote that was not answered may be run later than what gives it back. So a member that did
 * not answer one is asked to forget it once more, a second after it said that it has.
 *
 * <p>Thread-safe.
 */
public final class Standing {
  // Servers run what they have read within one round of their loop.
  private static final Executor SECOND_LOOK =
      CompletableFuture.delayedExecutor(1, TimeUnit.SECONDS, Runnable::run);

  private final String name;
  private final HoldId id;
  private final MemberIds ids;
  private final Debts debts;
  private final QueuePlaces places = new QueuePlaces();
  private final Endings endings = new Endings();
  private final Validity validity = new Validity();

  // Guarded by this.
  private final List<CompletableFuture<?>> last;
  private final Map<Member, CompletableFuture<?>> givingBack = new HashMap<>();
  private final Set<Member> doubtful = new HashSet<>();
  private final Set<Member> asked = new HashSet<>();

  /** Changed under the monitor, and read without it by {@link MemberDebts} under its own. */
  private final Set<Member> owed = ConcurrentHashMap.newKeySet();

  private final AtomicLong token = new AtomicLong();
  private final Set<Member> unanswered = ConcurrentHashMap.newKeySet();
  private volatile @Nullable Attempt attempt;
  private volatile boolean held;
  private volatile long keepUntil = System.nanoTime();

  Standing(String name, HoldId id, int members, Debts debts) {
    this(
        name,
        id,
        new MemberIds(id),
        debts,
        Collections.nCopies(members, CompletableFuture.completedFuture(null)));
  }

  private Standing(
      String name, HoldId id, MemberIds ids, Debts debts, List<CompletableFuture<?>> last) {
    this.name = name;
    this.id = id;
    this.ids = ids;
    this.debts = debts;
    this.last = new ArrayList<>(last);
  }

  /**
   * The same attempt by another id on the members, where it has nothing yet. It is asked behind
   * what was asked of them before.
   */
  synchronized Standing renamed() {
    Standing next = new Standing(name, id, new MemberIds(MemberIds.other(id)), debts, last);
    next.places.contendsAsIn(places);
    return next;
  }

  String name() {
    return name;
  }

  /** What could not be given back, of all standings. */
  Debts debts() {
    return debts;
  }

  /** In whose queues it may stand. */
  public QueuePlaces places() {
    return places;
  }

  /** Whether it waits in the queue of this member, and contends there. */
  boolean waitsAt(Member member) {
    return !held && isKeptBy(member) && places.standsAt(member);
  }

  /** What the members have said of its end. */
  public Endings endings() {
    return endings;
  }

  /** By which the engine knows it. */
  HoldId id() {
    return id;
  }

  /** By which a member knows it. */
  HoldId idOn(Member member) {
    List<HoldId> all = ids.of(member);
    return all.get(all.size() - 1);
  }

  /** By which the members know it. */
  Stream<HoldId> memberIds() {
    return ids.all();
  }

  /**
   * Has a hold go by another id on a member that may yet give an earlier vote for it back.
   *
   * @return the id; null if nothing is in doubt there, or it is not held
   */
  synchronized @Nullable HoldId renamedOn(Member member) {
    if (!held || !doubtful.remove(member)) {
      return null;
    }
    givingBack.remove(member);
    endings.forgetRelease(member);
    return ids.change(member);
  }

  /** The engine's attempt by the id that the member knows. */
  public Attempt on(Member member, Attempt attempt) {
    return MemberIds.by(idOn(member), attempt);
  }

  /**
   * Asks a member for this attempt, once what was asked before is answered. Fails, and asks
   * nothing, where the attempt may yet be given back.
   */
  public <T> CompletableFuture<T> ask(Member member, Supplier<CompletableFuture<T>> question) {
    return ask(member, false, question);
  }

  private <T> CompletableFuture<T> ask(
      Member member, boolean whileHeld, Supplier<CompletableFuture<T>> question) {
    Turn<T> turn;
    synchronized (this) {
      if (whileHeld && !held) {
        return new CompletableFuture<>();
      }
      if (doubtful.contains(member)) {
        return refused(member);
      }
      turn = next(member);
    }
    return turn.take(() -> isDoubtful(member)
        ? refused(member)
        : question.get().whenComplete((answer, error) -> {
          if (isUnknown(error)) {
            unanswered.add(member);
          }
        }));
  }

  private <T> CompletableFuture<T> refused(Member member) {
    return CompletableFuture.failedFuture(new BackendUnavailableException(
        "member %d did not answer when an earlier vote for lock '%s' was given back, so it is not asked for this attempt again"
            .formatted(member.place() + 1, name)));
  }

  /** Asks a member by what gives the attempt back, once what was asked before is answered. */
  <T> CompletableFuture<T> askBack(Member member, Supplier<CompletableFuture<T>> question) {
    return askBack(member, nextBack(member), question);
  }

  private <T> CompletableFuture<T> askBack(
      Member member, Turn<T> turn, Supplier<CompletableFuture<T>> question) {
    CompletableFuture<T> back = turn.take(() -> question.get().whenComplete((answer, error) -> {
      if (isUnknown(error)) {
        doubts(member); // before there is an answer, and what comes next is asked
      }
    }));
    var unused = back.thenRun(() -> {
      if (unanswered.contains(member)) {
        SECOND_LOOK.execute(() -> giveBackOnceMore(member, back));
      }
    });
    return back;
  }

  private static boolean isUnknown(@Nullable Throwable error) {
    return error != null && Round.failure(error) instanceof OutcomeUnknownException;
  }

  /**
   * Unless the member was asked since for a vote that may count, which will be given back again.
   */
  private void giveBackOnceMore(Member member, CompletableFuture<?> before) {
    Turn<Boolean> turn;
    synchronized (this) {
      if (last.get(member.place()) != before || !unanswered.remove(member)) {
        return;
      }
      turn = nextBack(member);
    }
    var unused = debts.payLater(member, this, giveBack(member, turn));
  }

  /** Asks a member to forget all of this attempt, by whichever ids it has known it. */
  CompletableFuture<Boolean> giveBack(Member member) {
    return giveBack(member, nextBack(member));
  }

  private CompletableFuture<Boolean> giveBack(Member member, Turn<Boolean> turn) {
    return askBack(
        member,
        turn,
        () -> member.call(open -> {
          ids.of(member).forEach(each -> open.abandon(name, each));
          return true;
        }));
  }

  /** Whether a member may have a vote by an earlier id, or a place in its queue. */
  synchronized boolean mayLeaveMore(Member member) {
    return ids.of(member).size() > 1 || places.mayBeAt(member);
  }

  private synchronized <T> Turn<T> next(Member member) {
    asked.add(member);
    owed.remove(member);
    Turn<T> next = Turn.behind(last.get(member.place()));
    last.set(member.place(), next.answer());
    return next;
  }

  private synchronized <T> Turn<T> nextBack(Member member) {
    Turn<T> back = next(member);
    givingBack.put(member, back.answer());
    endings.givenBackTo(member);
    return back;
  }

  private synchronized void doubts(Member member) {
    doubtful.add(member);
  }

  /** Whether an earlier vote may yet be given back there. */
  synchronized boolean isDoubtful(Member member) {
    return doubtful.contains(member);
  }

  /** Whether nothing of it was ever to be given back: nothing of it is under way, or owed. */
  public synchronized boolean hasGivenNothingBack() {
    return givingBack.isEmpty();
  }

  /** Whether what a member has of it counts: nothing is under way that gives it back. */
  public synchronized boolean isKeptBy(Member member) {
    CompletableFuture<?> back = givingBack.get(member);
    return !doubtful.contains(member) && (back == null || back.isDone());
  }

  /**
   * Whether the next attempt must go by {@linkplain #renamed another id}, or loses nothing by it.
   *
   * @param spare how many members may be left out
   */
  public synchronized boolean isSpent(int spare) {
    if (held || doubtful.isEmpty()) {
      return false;
    }
    return !places.isQueued() || doubtful.size() > spare || doubtful.contains(places.contended());
  }

  /** Asks as {@link #ask} does, unless the hold was given back meanwhile. */
  <T> CompletableFuture<T> askWhileHeld(Member member, Supplier<CompletableFuture<T>> question) {
    return ask(member, true, question);
  }

  /**
   * A member did not answer the question by which something was to be given back. Answers whether
   * it is still to be: not if the member was asked for a vote since, that may count.
   */
  synchronized boolean owes(Member member, CompletableFuture<?> failed) {
    boolean mayCount = last.get(member.place()) != failed && !doubtful.contains(member);
    return !mayCount && owed.add(member);
  }

  /** Whether something is to be given back to a member that was not asked for it since. */
  boolean isOwedTo(Member member) {
    return owed.contains(member);
  }

  /**
   * Gives back what it owes to a member. Nothing that has been asked for since, for this would take
   * a vote away that counts.
   */
  CompletableFuture<Boolean> pay(Member member) {
    Turn<Boolean> turn;
    synchronized (this) {
      if (!owed.contains(member)) {
        return CompletableFuture.completedFuture(false);
      }
      turn = nextBack(member);
    }
    return giveBack(member, turn);
  }

  /** Whether it may have something on a member. */
  synchronized boolean isOn(Member member) {
    return asked.contains(member);
  }

  /** The quorum has granted it. What was to be given back is part of the hold now. */
  public synchronized void holds(
      Attempt granted, long fencingToken, long sentAt, long sentAtMillis) {
    owed.clear();
    attempt = granted;
    raise(fencingToken);
    if (!held) {
      validity.forget();
    }
    validity.lasts(sentAt, sentAtMillis, granted.lease());
    held = true;
  }

  /** Enough members have raised the token of the hold to this, if it was smaller. */
  void raise(long least) {
    token.accumulateAndGet(least, Math::max);
  }

  /** How long it lasts. */
  Validity validity() {
    return validity;
  }

  /** Whether nobody else can have had the lock since it was granted. */
  public boolean isUnbroken() {
    return held && !validity.isOver();
  }

  /** It was given back. */
  synchronized void givenBack() {
    held = false;
    places.givenBack();
  }

  /** The attempt that has become the hold; null before. */
  @Nullable
  Attempt attempt() {
    return attempt;
  }

  public boolean isHeld() {
    return held;
  }

  /** The token of the hold; 0 before it is held. */
  public long token() {
    return token.get();
  }

  /** It is of use for this lease, and a while longer; a shorter lease does not end a longer one. */
  public synchronized void uses(Duration lease) {
    long until = System.nanoTime() + lease.toNanos() + Duration.ofMinutes(1).toNanos();
    if (until - keepUntil > 0) {
      keepUntil = until;
    }
  }

  /** Whether what it has on the members has certainly run out. */
  boolean isForgotten() {
    return System.nanoTime() - keepUntil > 0;
  }
}
