package dev.interlock.quorum;

import dev.interlock.spi.Attempt;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.LockBackend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What one attempt of this client, and the hold that comes of it, has on the members. What is asked
 * of one member for it is asked in order, so that a release never overtakes the attempt that hangs.
 * Thread-safe.
 */
final class Standing {
  private final String name;
  private final HoldId id;

  // Guarded by this.
  private final List<CompletableFuture<?>> last;
  private final Set<Member> asked = new HashSet<>();
  private final Set<Member> revoked = new HashSet<>();
  private final Map<Member, Boolean> released = new HashMap<>();
  private final Set<Member> owed = new HashSet<>();

  private volatile @Nullable Member contended;
  private volatile @Nullable Attempt attempt;
  private volatile boolean granted;
  private volatile boolean held;
  private volatile long validUntil = System.nanoTime();
  private volatile long validUntilMillis;
  private volatile long token;
  private volatile long keepUntil = System.nanoTime();

  Standing(String name, HoldId id, int members) {
    this.name = name;
    this.id = id;
    this.last = new ArrayList<>();
    for (int i = 0; i < members; i++) {
      last.add(CompletableFuture.completedFuture(null));
    }
  }

  String name() {
    return name;
  }

  HoldId id() {
    return id;
  }

  /** Asks a member for this attempt, once what was asked before is answered. */
  synchronized <T> CompletableFuture<T> ask(Member member, Function<LockBackend, T> question) {
    asked.add(member);
    owed.remove(member);
    CompletableFuture<?> before = last.get(member.place());
    CompletableFuture<T> next = before.isDone()
        ? member.call(question)
        : before.handle((answer, error) -> true).thenCompose(done -> member.call(question));
    last.set(member.place(), next);
    return next;
  }

  /** Asks as {@link #ask} does, unless the hold was given back meanwhile. */
  synchronized <T> CompletableFuture<T> askWhileHeld(
      Member member, Function<LockBackend, T> question) {
    return held ? ask(member, question) : new CompletableFuture<>();
  }

  /**
   * A member did not answer the question by which something was to be given back. Answers whether
   * it is still to be: not if the member was asked something since.
   */
  synchronized boolean owes(Member member, CompletableFuture<?> failed) {
    return last.get(member.place()) == failed && owed.add(member);
  }

  /**
   * Gives back what it owes to a member. Nothing that has been asked for since, for this would take
   * a vote away that counts.
   */
  synchronized CompletableFuture<Boolean> pay(Member member) {
    return owed.contains(member)
        ? ask(member, open -> {
          open.abandon(name, id);
          return true;
        })
        : CompletableFuture.completedFuture(false);
  }

  /** Whether it may have something on a member. */
  synchronized boolean isOn(Member member) {
    return asked.contains(member);
  }

  /** Notes that a member took its hold away, and answers how many have. */
  synchronized int revokedBy(Member member) {
    revoked.add(member);
    return revoked.size();
  }

  /** A member has the hold again. */
  synchronized void repairedAt(Member member) {
    revoked.remove(member);
  }

  /**
   * Remembers what a member's first answer to the release was: a repetition finds nothing there.
   */
  synchronized boolean released(Member member, boolean held) {
    return released.merge(member, held, (first, later) -> first);
  }

  /** The member in whose queue it stands, or whom it asked first. */
  @Nullable
  Member contended() {
    return contended;
  }

  void contendsAt(Member member) {
    contended = member;
    granted = false;
  }

  /** The contended member has granted the lock by somebody's release. */
  void grantedByRelease() {
    granted = true;
  }

  boolean isGrantedByRelease() {
    return granted;
  }

  /** The quorum has granted it. */
  void holds(Attempt granted, long fencingToken, long sentAt, long sentAtMillis) {
    attempt = granted;
    token = fencingToken;
    lasts(sentAt, sentAtMillis, granted.lease());
    held = true;
  }

  /** Enough members have it for a lease that began when they were asked, at the earliest. */
  void lasts(long sentAt, long sentAtMillis, Duration lease) {
    validUntil = sentAt + lease.toNanos();
    validUntilMillis = sentAtMillis + lease.toMillis();
  }

  /**
   * Whether nobody else can have had the lock since it was granted. By both clocks, for the first
   * stands still while the machine sleeps.
   */
  boolean isUnbroken() {
    return held
        && System.nanoTime() - validUntil < 0
        && System.currentTimeMillis() < validUntilMillis;
  }

  /** It was given back. */
  synchronized void givenBack() {
    held = false;
    granted = false;
  }

  /** The attempt that has become the hold; null before. */
  @Nullable
  Attempt attempt() {
    return attempt;
  }

  boolean isHeld() {
    return held;
  }

  /** The token of the hold; 0 before it is held. */
  long token() {
    return token;
  }

  /** It is of use for this lease, and a while longer. */
  void uses(Duration lease) {
    keepUntil = System.nanoTime() + lease.toNanos() + Duration.ofMinutes(1).toNanos();
  }

  /** Whether what it has on the members has certainly run out. */
  boolean isForgotten() {
    return System.nanoTime() - keepUntil > 0;
  }
}
