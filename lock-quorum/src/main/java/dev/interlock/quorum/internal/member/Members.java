package dev.interlock.quorum.internal.member;

import dev.interlock.BackendUnavailableException;
import dev.interlock.LockException;
import dev.interlock.spi.BackendContext;
import dev.interlock.spi.BackendEvents;
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.Uninterruptibly;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * All members of a quorum, and which of them may vote. Thread-safe.
 *
 * <p>Each client marks what is without a mark. Members that nobody has used before, and those that
 * have all lost their state, begin together: see {@link Beginning}. One that has lost its state
 * beside others that have not waits: see {@link Memory}.
 */
public final class Members {
  private static final Logger LOG = System.getLogger(Members.class.getName());
  private static final long LOOK_AGAIN = 20_000_000;
  private static final long LONGEST_PAUSE = 8 * LOOK_AGAIN;

  /** How long opening waits until enough may vote. */
  private static final long OPENING = 2_000_000_000;

  /**
   * How long to wait for those that are missing, if no other has a mark. They may be about to come
   * back as empty as these, one after the other, and can then begin together.
   */
  private static final long TOGETHER = Memory.YOUNG;

  private static final long AFTER_FAULT = 1_000_000_000;

  private final List<Member> all;
  private final int need;
  private final Beginning beginning;
  private final AtomicReference<@Nullable CompletableFuture<Boolean>> looking =
      new AtomicReference<>();
  private volatile boolean closed;
  private volatile long lookAfter = System.nanoTime();

  private Members(List<Member> all, int need, Beginning beginning) {
    this.all = all;
    this.need = need;
    this.beginning = beginning;
  }

  /**
   * Connects to all of them, and waits a little until enough may vote.
   *
   * @param events makes what hears of the events of a member
   * @param answered told of a member after each of its answers, before anybody hears of those
   * @throws BackendUnavailableException if fewer than are needed can be reached
   * @throws LockException if the settings of one are wrong
   */
  public static Members open(
      Membership quorum,
      BackendContext context,
      Function<Member, BackendEvents> events,
      Consumer<Member> answered) {
    List<Member> all = new ArrayList<>();
    for (int i = 0; i < quorum.members().size(); i++) {
      all.add(new Member(i, quorum, context, events, answered));
    }
    Members members =
        new Members(List.copyOf(all), quorum.need(), Beginning.of(quorum.longestLease()));
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
    long deadline = System.nanoTime() + OPENING;
    boolean mayFindMore = look();
    while (mayFindMore && trusted().size() < need && System.nanoTime() - deadline < 0) {
      Uninterruptibly.pause(LOOK_AGAIN);
      mayFindMore = look();
    }
    if (mayFindMore) {
      var unused = lookAgain();
    }
  }

  /**
   * Looks which members may vote, and marks those that have no mark.
   *
   * @return whether a further look may soon find more
   */
  private boolean look() {
    Map<Member, Memory.Look> looks = lookAt(live());
    List<Member> unmarked = looks.keySet().stream()
        .filter(member -> Beginning.found(looks, member).mark() == null)
        .toList();
    if (unmarked.isEmpty()) {
      return mayTrustMore(looks);
    }
    boolean noneMarked = unmarked.size() == looks.size() && looks.size() < all.size();
    if (noneMarked
        && unmarked.stream().noneMatch(member -> member.memory().isLeftUnmarked(TOGETHER))) {
      return true;
    }
    Round<Boolean> marks = ask(unmarked, member -> member.call(member.memory()::mark));
    // If all refuse writes, looking on would ask them again and again for nothing.
    return mayTrustMore(lookAt(live())) && !marks.answers().isEmpty();
  }

  private static Map<Member, Memory.Look> lookAt(List<Member> some) {
    Round<Memory.Look> looks = ask(some, member -> member.call(member.memory()::look));
    throwFinal(looks);
    return looks.answers();
  }

  /**
   * Vouches for the marks of all if they began together, and for those of DURABLE members if not.
   *
   * @return whether a further look may soon find that more of them may vote
   */
  private boolean mayTrustMore(Map<Member, Memory.Look> looks) {
    List<Member> untrusted = looks.keySet().stream()
        .filter(member -> !Beginning.found(looks, member).trusted())
        .toList();
    if (untrusted.isEmpty()) {
      return false;
    }
    List<String> marks = beginning.marks(all, looks);
    List<Member> vouched =
        marks != null && isNoted(marks) ? untrusted : notedAlone(untrusted, looks);
    if (!vouched.isEmpty()) {
      ask(vouched, member -> withMark(member, looks, Memory::vouch));
      var unused = lookAt(vouched);
    }
    return live().stream()
        .map(Member::memory)
        .anyMatch(memory -> !memory.isTrusted() && memory.isYoung());
  }

  /**
   * Whether all have the note with which marks they began. None gets it if one has another: it
   * would then have this one for good, and could not begin with that one's next mark.
   */
  private boolean isNoted(List<String> marks) {
    return doAll(marks, Memory::mayBegin) && doAll(marks, Memory::noteBeginning);
  }

  @FunctionalInterface
  private interface Step {
    boolean on(Memory memory, LockBackend server, String mark, List<String> marks);
  }

  private boolean doAll(List<String> marks, Step step) {
    Round<Boolean> done = ask(all, member -> {
      String mark = marks.get(member.place());
      return member.call(open -> step.on(member.memory(), open, mark, marks));
    });
    return Round.count(done.answers(), yes -> yes) == all.size();
  }

  /** DURABLE ones, once those that may begin together with them are there or are late. */
  private List<Member> notedAlone(List<Member> untrusted, Map<Member, Memory.Look> looks) {
    boolean noneForgets = all.stream().allMatch(Member::isDurable);
    List<Member> durable = untrusted.stream()
        .filter(member -> member.isDurable() && Beginning.found(looks, member).mark() != null)
        .filter(member -> noneForgets || !member.memory().isYoung())
        .toList();
    Map<Member, Boolean> notes =
        ask(durable, member -> withMark(member, looks, Memory::noteAlone)).answers();
    return durable.stream().filter(member -> notes.getOrDefault(member, false)).toList();
  }

  @FunctionalInterface
  private interface Note {
    boolean on(Memory memory, LockBackend server, String mark);
  }

  private static CompletableFuture<Boolean> withMark(
      Member member, Map<Member, Memory.Look> looks, Note note) {
    String mark = Beginning.found(looks, member).marked();
    return member.call(open -> note.on(member.memory(), open, mark));
  }

  /** Asks some of them the same, and waits for the answers. */
  private static <T> Round<T> ask(
      List<Member> some, Function<Member, CompletableFuture<T>> question) {
    Round<T> round = new Round<>();
    some.forEach(member -> round.ask(member, question.apply(member)));
    round.await();
    return round;
  }

  public List<Member> all() {
    return all;
  }

  public int need() {
    return need;
  }

  /** How many may be against it, and it is still granted. */
  public int spare() {
    return all.size() - need;
  }

  /** Those that answer. */
  public List<Member> live() {
    return all.stream().filter(Member::isLive).toList();
  }

  /** Those that are not among some. */
  public List<Member> allBut(Collection<Member> some) {
    return all.stream().filter(member -> !some.contains(member)).toList();
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
  public boolean mayGrant() {
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
    try {
      // Not on a thread of a member, which the look itself needs.
      Thread thread = new Thread(this::lookOn, "interlock-quorum-look");
      thread.setDaemon(true);
      thread.start();
    } catch (Error e) { // there are no threads to be had: a later look is not kept from its own
      lookAfter = System.nanoTime() + AFTER_FAULT;
      lookEnds(null);
    }
    return next;
  }

  /** Looks until a further look would find no more, whether or not anybody asks for a lock. */
  private void lookOn() {
    try {
      for (long pause = LOOK_AGAIN; look() && !closed; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
        lookEnds(new CompletableFuture<>());
        Uninterruptibly.pause(pause);
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
  public BackendUnavailableException unavailable(String action, String name, List<String> more) {
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

  public String servers() {
    return "quorum of " + all.stream().map(Member::server).collect(Collectors.joining(", "));
  }

  /**
   * Closes all at once, for one of them may hang; one by one those for which there is no thread.
   */
  public void close() {
    closed = true;
    List<Thread> closing = new ArrayList<>();
    List<Member> left = new ArrayList<>();
    for (Member member : all) {
      try {
        Thread thread = new Thread(member::close);
        thread.start();
        closing.add(thread);
      } catch (Error e) {
        left.add(member);
      }
    }
    try {
      closeEach(left);
    } finally {
      for (Thread thread : closing) {
        var unused = Uninterruptibly.await(() -> {
          thread.join();
          return true;
        });
      }
    }
  }

  /** Also those behind one that fails, for which there may be no thread either. */
  private static void closeEach(List<Member> members) {
    @Nullable Throwable failure = null;
    for (Member member : members) {
      try {
        member.close();
      } catch (RuntimeException | Error e) { // an Error where a driver has no thread for it either
        failure = e;
      }
    }
    if (failure instanceof Error error) {
      throw error;
    }
    if (failure instanceof RuntimeException exception) {
      throw exception;
    }
  }
}
