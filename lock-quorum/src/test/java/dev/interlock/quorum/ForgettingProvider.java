package dev.interlock.quorum;

import dev.interlock.BackendUnavailableException;
import dev.interlock.CommonOptions;
import dev.interlock.HoldInfo;
import dev.interlock.LockConfig;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptResult;
import dev.interlock.spi.BackendContext;
import dev.interlock.spi.BackendEvents;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.LockBackend;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswers;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Members in this JVM that a test empties, and clients that stand still before and behind each step
 * that they ask of a member, or are cut off from one.
 */
public final class ForgettingProvider extends MembersHere {
  private static final Map<String, AtomicInteger> LOSSES = new ConcurrentHashMap<>();
  private static final Map<String, Way> WAYS = new ConcurrentHashMap<>();

  /** The member of this namespace loses all that it keeps. */
  public static void empty(String namespace) {
    losses(namespace).incrementAndGet();
  }

  private static AtomicInteger losses(String namespace) {
    return LOSSES.computeIfAbsent(namespace, any -> new AtomicInteger());
  }

  /** A client's way to a member. */
  public static Way way(String client, String namespace) {
    return WAYS.computeIfAbsent(client + " " + namespace, any -> new Way());
  }

  /** What happens to the calls of one client to one member. Thread-safe. */
  public static final class Way {
    private volatile boolean down;
    private volatile Consumer<String> step = name -> {};

    /** Whether every call fails, as where nobody listens. */
    public void down(boolean refuses) {
      down = refuses;
    }

    /** What happens before and behind each call that is about a lock. */
    public void step(Consumer<String> event) {
      step = event;
    }
  }

  @Override
  public String id() {
    return "forgetting";
  }

  @Override
  public LockBackend open(LockConfig config, BackendContext context) {
    String namespace = config.get(CommonOptions.NAMESPACE);
    return new Member(context, namespace, way(context.client().id(), namespace));
  }

  /** What a member keeps is that of a member of its own, until it is lost. */
  private static final class Member implements LockBackend {
    private final BackendContext context;
    private final String namespace;
    private final Way way;
    private final Map<Integer, LockBackend> kept = new ConcurrentHashMap<>();
    private volatile BackendEvents engine = BackendEvents.IGNORED;

    Member(BackendContext context, String namespace, Way way) {
      this.context = context;
      this.namespace = namespace;
      this.way = way;
    }

    private <T> T ask(String name, Function<LockBackend, T> question) {
      way.step.accept(name);
      if (way.down) {
        throw new BackendUnavailableException("nobody listens");
      }
      T answer = question.apply(kept.computeIfAbsent(losses(namespace).get(), this::open));
      way.step.accept(name);
      if (way.down) {
        throw new OutcomeUnknownException("no answer");
      }
      return answer;
    }

    private LockBackend open(int losses) {
      LockBackend opened = context.open("local://?namespace=" + namespace + "-" + losses);
      opened.subscribe(engine);
      return opened;
    }

    @Override
    public void subscribe(BackendEvents events) {
      engine = events;
    }

    @Override
    public AttemptResult attempt(Attempt attempt) {
      return ask(attempt.name(), member -> member.attempt(attempt));
    }

    @Override
    public void renew(List<Renewal> batch, RenewalAnswers answers) {
      var unused = ask(batch.get(0).name(), member -> {
        member.renew(batch, answers);
        return true;
      });
    }

    @Override
    public boolean release(String name, HoldId id) {
      return ask(name, member -> member.release(name, id));
    }

    @Override
    public void abandon(String name, HoldId id) {
      var unused = ask(name, member -> {
        member.abandon(name, id);
        return true;
      });
    }

    @Override
    public Optional<HoldInfo> inspect(String name) {
      return ask(name, member -> member.inspect(name));
    }

    @Override
    public boolean forceRelease(String name, long fencingToken) {
      return ask(name, member -> member.forceRelease(name, fencingToken));
    }

    @Override
    public String server() {
      return namespace;
    }

    @Override
    public void close() {
      kept.values().forEach(LockBackend::close);
    }
  }
}
