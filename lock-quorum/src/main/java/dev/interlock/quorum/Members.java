package dev.interlock.quorum;

import dev.interlock.BackendUnavailableException;
import dev.interlock.LockException;
import dev.interlock.spi.BackendContext;
import dev.interlock.spi.BackendEvents;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * All members of a quorum, and which of them may vote. Thread-safe.
 *
 * <p>Members that nobody has used before begin together: see {@link Memory}. Of several clients
 * that come at once, the one that marks the first member marks the others, too; the rest wait for
 * it. A member without a mark beside others that have one has lost its state, and is marked alone.
 */
final class Members {
  private static final Logger LOG = System.getLogger(Members.class.getName());
  private static final long LOOK_AGAIN = 20_000_000;

  /**
   * How long to wait for those that are missing, if no other has a mark. They may be about to come
   * back as empty as these, one after the other, and can then begin together.
   */
  private static final long TOGETHER = 5 * Memory.SETTLING;

  private static final long AFTER_FAULT = 1_000_000_000;

  private final List<Member> all;
  private final int need;
  private final AtomicReference<@Nullable CompletableFuture<Boolean>> looking =
      new AtomicReference<>();
  private volatile boolean closed;
  private volatile long lookAfter = System.nanoTime();

  private Members(List<Member> all, int need) {
    this.all = all;
    this.need = need;
  }

  /**
   * Connects to all of them, and waits a little until enough may vote.
   *
   * @throws BackendUnavailableException if fewer than are needed can be reached
   * @throws LockException if the settings of one are wrong
   */
  static Members open(
      Settings settings, BackendContext context, Function<Member, BackendEvents> events) {
    List<Member> all = new ArrayList<>();
    for (int i = 0; i < settings.members().size(); i++) {
      all.add(new Member(i, settings, context, events));
    }
    Members members = new Members(List.copyOf(all), settings.need());
    try {
      members.join();
      members.begin();
      return members;
    } catch (RuntimeException e) {
      members.close();
      throw e;
    }
  }

  private void join() {
    Round<Boolean> round = new Round<>();
    all.forEach(member -> round.ask(member, member.join()));
    while (round.isOpen()) {
      round.await(); // opening ends within the time limits of the members
    }
    throwFinal(round);
    if (round.answers().size() < need) {
      throw new BackendUnavailableException("Cannot open 'quorum': %d of %d members are needed; %s"
          .formatted(need, all.size(), String.join("; ", round.complaints())));
    }
  }

  private static void throwFinal(Round<?> round) {
    for (LockException failure : round.failures()) {
      if (Member.isFinal(failure)) {
        throw failure;
      }
    }
  }

  private void begin() {
    long deadline = System.nanoTime() + 2 * Memory.SETTLING;
    boolean mayFindMore = look();
    while (mayFindMore && trusted().size() < need && System.nanoTime() - deadline < 0) {
      LockSupport.parkNanos(this, LOOK_AGAIN);
      mayFindMore = look();
    }
    if (mayFindMore) {
      var unused = lookAgain();
    }
  }

  /**
   * Looks which members may vote, and marks those that are new.
   *
   * @return whether a further look may soon find more
   */
  private boolean look() {
    Round<Memory.State> looks = ask(live(), member -> member.call(member.memory()::look));
    throwFinal(looks);
    List<Member> unmarked = looks.answers().entrySet().stream()
        .filter(look -> look.getValue() == Memory.State.UNMARKED)
        .map(Map.Entry::getKey)
        .toList();
    if (unmarked.isEmpty()) {
      return all.get(0).memory().isAboutToBeTrusted();
    }
    if (unmarked.size() == all.size()) {
      return mayBeMarkedByOthers();
    }
    if (looks.answers().keySet().stream().anyMatch(member -> member.memory().isJustMarked())) {
      return true; // another client is about to mark these, too
    }
    boolean noneMarked = unmarked.size() == looks.answers().size();
    List<Member> alone = unmarked.stream()
        .filter(member -> member.memory().isLeftUnmarked(noneMarked ? TOGETHER : Memory.SETTLING))
        .toList();
    if (alone.isEmpty()) {
      return true; // the others may have lost their marks, too
    }
    ask(alone, member -> member.call(member.memory()::mark));
    ask(alone, member -> member.call(member.memory()::look));
    return false;
  }

  /**
   * Marks all and vouches for the marks, unless another client was quicker with the first of them.
   *
   * @return whether another client was. It was not if the first refuses writes: looking on would
   *     ask it again and again for nothing.
   */
  private boolean mayBeMarkedByOthers() {
    Round<Boolean> first = ask(all.subList(0, 1), member -> member.call(member.memory()::mark));
    if (Round.count(first.answers(), made -> made) == 0) {
      return !first.answers().isEmpty();
    }
    if (isMarked(all.subList(1, all.size()))) {
      ask(all, member -> member.call(member.memory()::vouch));
    }
    ask(all, member -> member.call(member.memory()::look));
    return false;
  }

  private static boolean isMarked(List<Member> some) {
    Round<Boolean> marks = ask(some, member -> member.call(member.memory()::mark));
    return Round.count(marks.answers(), made -> made) == some.size();
  }

  /** Asks some of them the same, and waits for the answers. */
  private static <T> Round<T> ask(
      List<Member> some, Function<Member, CompletableFuture<T>> question) {
    Round<T> round = new Round<>();
    some.forEach(member -> round.ask(member, question.apply(member)));
    round.await();
    return round;
  }

  List<Member> all() {
    return all;
  }

  int need() {
    return need;
  }

  /** How many may be against it, and it is still granted. */
  int spare() {
    return all.size() - need;
  }

  /** Those that answer. */
  List<Member> live() {
    return all.stream().filter(Member::isLive).toList();
  }

  private List<Member> trusted() {
    return live().stream().filter(member -> member.memory().isTrusted()).toList();
  }

  /** Those that answer and may vote. Has the others looked at, on a thread of its own. */
  List<Member> voters() {
    if (isLookDue()) {
      var unused = lookAgain();
    }
    return trusted();
  }

  /**
   * Whether enough of them answer and may vote. If not, it blocks for a look at the others, which
   * may be trusted by now: after the loss of all marks another client has made new ones.
   */
  boolean mayGrant() {
    if (voters().size() < need && (isLookDue() || looking.get() != null)) {
      lookAgain()
          .copy()
          .completeOnTimeout(false, Member.SILENT.toMillis(), TimeUnit.MILLISECONDS)
          .join();
    }
    return trusted().size() >= need;
  }

  private boolean isLookDue() {
    return System.nanoTime() - lookAfter >= 0
        && live().stream().anyMatch(member -> member.memory().isDue());
  }

  /** Looks on a thread of its own. The future completes when the look that is under way ends. */
  private CompletableFuture<Boolean> lookAgain() {
    CompletableFuture<Boolean> next = new CompletableFuture<>();
    CompletableFuture<Boolean> running = looking.compareAndExchange(null, next);
    if (running != null) {
      return running;
    }
    // Not on a thread of a member, which the look itself needs.
    Thread thread = new Thread(this::lookOn, "interlock-quorum-look");
    thread.setDaemon(true);
    thread.start();
    return next;
  }

  /** Looks until a further look would find no more, whether or not anybody asks for a lock. */
  private void lookOn() {
    try {
      while (look() && !closed) {
        lookEnds(new CompletableFuture<>());
        LockSupport.parkNanos(this, LOOK_AGAIN);
      }
    } catch (RuntimeException e) {
      lookAfter = System.nanoTime() + AFTER_FAULT;
      LOG.log(Level.WARNING, "Whether the members of a quorum may vote cannot be seen", e);
    } finally {
      lookEnds(null);
    }
  }

  private void lookEnds(@Nullable CompletableFuture<Boolean> next) {
    CompletableFuture<Boolean> ended = looking.getAndSet(next);
    if (ended != null) {
      ended.complete(true);
    }
  }

  /** Why there are not enough, member by member. */
  BackendUnavailableException unavailable(String action, String name, List<String> more) {
    List<String> complaints = new ArrayList<>(more);
    for (Member member : all) {
      if (!member.isLive()) {
        complaints.add(member.complaint());
      } else if (!member.memory().isTrusted()) {
        complaints.add(member.memory().complaint());
      }
    }
    return new BackendUnavailableException(
        "The quorum was asked to %s lock '%s', and needs %d of %d members; %s"
            .formatted(
                action,
                name,
                need,
                all.size(),
                complaints.stream().distinct().collect(Collectors.joining("; "))));
  }

  String servers() {
    return "quorum of " + all.stream().map(Member::server).collect(Collectors.joining(", "));
  }

  /** Closes all at once, for one of them may hang. */
  void close() {
    closed = true;
    List<Thread> closing = all.stream().map(member -> new Thread(member::close)).toList();
    closing.forEach(Thread::start);
    boolean interrupted = false;
    for (Thread thread : closing) {
      while (thread.isAlive()) {
        try {
          thread.join();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
