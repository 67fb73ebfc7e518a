package dev.interlock.quorum;

import dev.interlock.BackendUnavailableException;
import dev.interlock.CommonOptions;
import dev.interlock.HoldInfo;
import dev.interlock.LockConfig;
import dev.interlock.LockException;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.quorum.internal.member.Memory;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.BackendContext;
import dev.interlock.spi.BackendEvents;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.HoldPage;
import dev.interlock.spi.HoldQuery;
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Members in this JVM, and what a test does to the way of one client to one of them. */
public final class SteeredProvider extends MembersHere {
  private static final Map<String, Steered> OPENED = new ConcurrentHashMap<>();

  /** The settings of a quorum of members of these names. */
  public static String quorum(String... namespaces) {
    return ThreeRedis.quorum(
        Stream.of(namespaces).map(name -> "steered://?namespace=" + name).toList(), "");
  }

  /** A client's way to a member. */
  public static Steered of(String client, String namespace) {
    return OPENED.computeIfAbsent(client + " " + namespace, any -> new Steered());
  }

  /** The ways of a client to members that are named by a letter and a number from 0 on. */
  public static List<Steered> of(String client, String letter, int members) {
    return IntStream.range(0, members).mapToObj(i -> of(client, letter + i)).toList();
  }

  /** What happens to the calls of one client to one member. Thread-safe. */
  public static final class Steered {
    private final Queue<Runnable> late = new ConcurrentLinkedQueue<>();
    private final Queue<Attempt> attempts = new ConcurrentLinkedQueue<>();
    private final AtomicInteger refused = new AtomicInteger();
    private final AtomicInteger renewals = new AtomicInteger();
    private final AtomicInteger releases = new AtomicInteger();
    private final AtomicInteger abandonments = new AtomicInteger();
    private final AtomicInteger opened = new AtomicInteger();
    private final AtomicInteger closed = new AtomicInteger();
    private volatile boolean down;
    private volatile boolean delaying;
    private volatile boolean delayingAttempts;
    private volatile boolean raisingNothing;
    private volatile boolean answeringNull;
    private volatile boolean refusingForce;
    private volatile boolean refusingLists;
    private volatile boolean failingToList;
    private volatile boolean deaf;
    private volatile boolean failingToClose;
    private volatile Duration patience = Duration.ZERO;
    private volatile Runnable before = () -> {};
    private volatile Runnable beforeRenewed = () -> {};

    /** Whether every call fails, as where nobody listens. */
    public void down(boolean refuses) {
      down = refuses;
    }

    /** Whether an abandonment is without an answer, and gets there at {@link #arrive}. */
    public void delaysAbandonments(boolean delays) {
      delaying = delays;
    }

    /**
     * Whether an attempt for an application's lock is without an answer, and gets there as well.
     */
    public void delaysAttempts(boolean delays) {
      delayingAttempts = delays;
    }

    /** Whether a renewal leaves the token as it is, whichever it asks for. */
    public void raisesNothing(boolean refuses) {
      raisingNothing = refuses;
    }

    /** Whether a renewal is answered with null. */
    public void answersNull(boolean says) {
      answeringNull = says;
    }

    /** Whether a forced release fails, and changes nothing. */
    public void refusesForce(boolean refuses) {
      refusingForce = refuses;
    }

    /** Whether a list is refused, as where a right is missing. */
    public void refusesLists(boolean refuses) {
      refusingLists = refuses;
    }

    /** Whether a list is without an answer. */
    public void failsToList(boolean fails) {
      failingToList = fails;
    }

    /** Whether it fails to listen once it is opened. */
    public void deaf(boolean fails) {
      deaf = fails;
    }

    /** Whether it fails once it is closed. */
    public void failsToClose(boolean fails) {
      failingToClose = fails;
    }

    /** How often the way to the member was opened. */
    public int opened() {
      return opened.get();
    }

    /** How often it was closed. */
    public int closed() {
      return closed.get();
    }

    /** What happens to the member right before it is asked for an application's lock. */
    public void before(Runnable event) {
      before = event;
    }

    /** What happens right before each answer to a renewal. */
    public void beforeRenewed(Runnable event) {
      beforeRenewed = event;
    }

    /** For how long whoever asks for such an abandonment waits for its answer. */
    public void patience(Duration longest) {
      patience = longest;
    }

    private void await() {
      try {
        Thread.sleep(patience.toMillis());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    /** How many calls are on their way. */
    public int underWay() {
      return late.size();
    }

    /** What was under way gets there. */
    public void arrive() {
      for (Runnable next = late.poll(); next != null; next = late.poll()) {
        next.run();
      }
    }

    /** By which ids the member has answered who asked for a lock, in order. */
    public List<HoldId> attempts(String name) {
      return attempts.stream()
          .filter(attempt -> attempt.name().equals(name))
          .map(Attempt::id)
          .toList();
    }

    /** How many batches of renewals the member was asked for. */
    public int renewals() {
      return renewals.get();
    }

    /** How many releases the member has answered. */
    public int releases() {
      return releases.get();
    }

    /** How many abandonments the member was asked for. */
    public int abandonments() {
      return abandonments.get();
    }

    /** How many abandonments were refused. */
    public int refused() {
      return refused.get();
    }
  }

  @Override
  public String id() {
    return "steered";
  }

  @Override
  public LockBackend open(LockConfig config, BackendContext context) {
    String namespace = config.get(CommonOptions.NAMESPACE);
    Steered way = of(context.client().id(), namespace);
    way.opened.incrementAndGet();
    return new Member(context.open("local://?namespace=" + namespace), way);
  }

  private record Member(LockBackend sound, Steered steered) implements Forwarding {
    private LockBackend reached() {
      if (steered.down) {
        throw new BackendUnavailableException("nobody listens");
      }
      return sound;
    }

    @Override
    public AttemptResult attempt(Attempt attempt) {
      if (!Memory.isItsOwn(attempt.name())) {
        steered.before.run();
        if (steered.delayingAttempts) {
          steered.late.add(() -> sound.attempt(attempt));
          throw new OutcomeUnknownException("no answer");
        }
      }
      AttemptResult result = reached().attempt(attempt);
      steered.attempts.add(attempt);
      return result;
    }

    @Override
    public void renew(List<Renewal> batch, RenewalAnswers answers) {
      steered.renewals.incrementAndGet();
      List<Renewal> asked = steered.raisingNothing
          ? batch.stream().map(renewal -> renewal.withMinToken(0)).toList()
          : batch;
      reached().renew(asked, (renewal, result) -> {
        steered.beforeRenewed.run();
        answers.answer(renewal, steered.answeringNull ? nothing() : result);
      });
    }

    @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"}) // as a wrong backend does
    private static <T> T nothing() {
      return null;
    }

    @Override
    public boolean release(String name, HoldId id) {
      boolean held = reached().release(name, id);
      steered.releases.incrementAndGet();
      return held;
    }

    @Override
    public void abandon(String name, HoldId id) {
      steered.abandonments.incrementAndGet();
      if (steered.delaying) {
        steered.late.add(() -> sound.abandon(name, id));
        steered.await();
        throw new OutcomeUnknownException("no answer");
      }
      try {
        reached().abandon(name, id);
      } catch (BackendUnavailableException e) {
        steered.refused.incrementAndGet();
        throw e;
      }
    }

    @Override
    public Optional<HoldInfo> inspect(String name) {
      return reached().inspect(name);
    }

    @Override
    public Optional<HoldPage> list(HoldQuery query) {
      if (steered.refusingLists) {
        throw new LockException("no right to list");
      }
      if (steered.failingToList) {
        throw new BackendUnavailableException("cannot list");
      }
      return reached().list(query);
    }

    @Override
    public boolean forceRelease(String name, long fencingToken) {
      if (steered.refusingForce) {
        throw new BackendUnavailableException("force is refused");
      }
      return reached().forceRelease(name, fencingToken);
    }

    @Override
    public void subscribe(BackendEvents events) {
      if (steered.deaf) {
        throw new BackendUnavailableException("cannot listen");
      }
      sound.subscribe(events);
    }

    @Override
    public void close() {
      steered.closed.incrementAndGet();
      sound.close();
      if (steered.failingToClose) {
        throw new BackendUnavailableException("cannot close");
      }
    }
  }
}
