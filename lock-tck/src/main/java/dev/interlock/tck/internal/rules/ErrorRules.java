package dev.interlock.tck.internal.rules;

import dev.interlock.BackendUnavailableException;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockConfigurationException;
import dev.interlock.LockException;
import dev.interlock.LockProviderNotFoundException;
import dev.interlock.LockRequest;
import dev.interlock.LockTimeoutException;
import dev.interlock.Locks;
import dev.interlock.Option;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.tck.internal.fault.Endpoint;
import dev.interlock.tck.internal.run.DirectBackend;
import dev.interlock.tck.internal.run.FaultyReplies;
import dev.interlock.tck.internal.run.NotReached;
import dev.interlock.tck.internal.run.Rule;
import dev.interlock.tck.internal.run.RuleRun;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** Rules E1, E2, E6 and E8, and what E3 says about lost replies. */
public final class ErrorRules {
  private static final String SECRET = "tckS3cretWord";

  private ErrorRules() {}

  @Rule(
      value = "E1",
      check = "that an attempt with the id of the holder is granted as the same hold")
  public static void aRepeatedAttemptMakesOneHold(RuleRun run) throws Exception {
    DirectBackend direct = run.direct();
    LockClient observer = run.client();
    for (UnaryOperator<Attempt> kind : Leases.attempts(run).values()) {
      Attempt attempt = kind.apply(once(run, direct, run.name()));
      Grant first = direct.acquire(attempt, run.limit(2_000));
      for (int i = 0; i < 3; i++) {
        expectSameToken(run, direct, attempt, first);
      }
      run.expectHeld(observer, attempt.name(), "after repeated attempts");
      expectReleased(run, direct, attempt);
      run.expectFree(observer, attempt.name(), run.limit(1_000), "after one release");
    }
    // Who comes beside others of its kind may be kept in another place than who comes first.
    for (UnaryOperator<Attempt> kind : Leases.sharing(run).values()) {
      Attempt before = kind.apply(once(run, direct, run.name()));
      Attempt attempt = kind.apply(once(run, direct, before.name()));
      direct.acquire(before, run.limit(2_000));
      expectSameToken(run, direct, attempt, direct.acquire(attempt, run.limit(2_000)));
      expectReleased(run, direct, attempt);
      expectReleased(run, direct, before);
      run.expectFree(observer, before.name(), run.limit(1_000), "after one release of each");
    }
    run.fault("an attempt sent four times");
    run.note("four identical attempts made one hold, which one release ended");
  }

  private static Attempt once(RuleRun run, DirectBackend direct, String name) {
    return Attempt.of(name, direct.newId(), "tck", run.ms(8_000));
  }

  private static void expectSameToken(
      RuleRun run, DirectBackend direct, Attempt attempt, Grant first) throws Exception {
    AtomicLong again = new AtomicLong();
    run.expectWhileHeld(
        attempt.name(),
        () -> {
          again.set(direct.acquire(attempt, run.limit(2_000)).fencingToken());
          return again.get() == first.fencingToken();
        },
        "a repeated attempt keeps token " + first.fencingToken(),
        () -> "it got " + again);
  }

  private static void expectReleased(RuleRun run, DirectBackend direct, Attempt held) {
    run.expectWhileHeld(
        held.name(),
        () -> direct.release(held.name(), held.id()),
        "the release finds the hold",
        "it does not");
  }

  @Rule(value = "E1", check = "that a waiter is known by its attempt's id and waits once")
  public static void aRepeatedAttemptWaitsOnce(RuleRun run) throws Exception {
    DirectBackend direct = run.direct();
    LockClient observer = run.client();
    for (UnaryOperator<Attempt> kind : Leases.attempts(run).values()) {
      String name = run.name();
      Lease held = observer.acquire(Leases.fixed(run, name, 30_000));
      HoldId id = direct.newId();
      Attempt attempt =
          kind.apply(Attempt.of(name, id, "tck", run.ms(8_000)).withPatience(run.ms(20_000)));
      for (int i = 0; i < 4; i++) {
        direct.attempt(attempt);
      }
      int waiters = Queues.waiters(observer, name);
      run.expect(waiters <= 1, "an attempt that is sent four times waits once", waiters + " wait");
      held.release();
      Grant first = direct.acquire(attempt, run.limit(3_000));
      expectSameToken(run, direct, attempt, first);
      expectReleased(run, direct, attempt);
      run.expectFree(observer, name, run.limit(1_000), "after its only waiter's release");
    }
  }

  @Rule(value = "E1", check = "that the engine's repetition of an attempt is recognised")
  public static void aLostReplyToAnAttemptMakesOneHold(RuleRun run) throws Exception {
    AtomicInteger lost = new AtomicInteger();
    LockClient client = run.client(backend -> FaultyReplies.lost(backend, lost));
    LockClient observer = run.client();
    for (int i = 0; i < run.amount(5, 20, 100); i++) {
      String name = run.name();
      lost.set(1);
      Lease lease = client.acquire(Leases.fixed(run, name, 8_000));
      run.expectHeld(observer, name, "after a lost reply");
      lease.release();
      run.expectFree(observer, name, run.limit(1_000), "after one release");
    }
    run.fault("a lost reply to an attempt");
  }

  @Rule(value = "E2", check = "that a release frees only the hold of its own id")
  public static void aRepeatedReleaseNeverFreesASuccessor(RuleRun run) throws Exception {
    DirectBackend first = run.direct();
    for (DirectBackend second : List.of(run.direct(), first)) {
      aRepeatedReleaseFreesNothing(run, first, second);
    }
    run.fault("a release sent three times");
    run.note("neither release nor abandonment of an ended hold touched its successor");
  }

  private static void aRepeatedReleaseFreesNothing(
      RuleRun run, DirectBackend first, DirectBackend second) throws Exception {
    LockClient observer = run.client();
    String name = run.name();
    HoldId id = first.newId();
    first.acquire(name, id, run.ms(8_000), run.limit(2_000));
    first.release(name, id);
    run.expect(!first.release(name, id), "a repeated release says so", "it says held");
    HoldId successor = second.newId();
    second.acquire(name, successor, run.ms(8_000), run.limit(2_000));
    first.release(name, id);
    run.expectHeld(observer, name, "after a repeated release");
    first.abandon(name, id);
    run.expectHeld(observer, name, "after an abandonment of a released hold");
    run.expectWhileHeld(
        name, () -> second.release(name, successor), "the successor held", "it did not");
  }

  @Rule(value = "E3", check = "that a refusal of the repetition is not taken for an answer")
  public static void whatIsUnknownStaysSo(RuleRun run) throws Exception {
    AtomicInteger stage = new AtomicInteger();
    LockClient client = run.client(backend -> FaultyReplies.lostThenRefused(backend, stage));
    LockClient observer = run.client();
    Duration wait = run.ms(300);
    List<Consumer<LockRequest>> ways = List.of(
        client::tryAcquire,
        request -> acquire(client, request.withWait(wait)),
        request -> client.acquireAsync(request.withWait(wait)).join());
    for (Consumer<LockRequest> way : ways) {
      String name = run.name();
      stage.set(1);
      run.willBeHeld(name, run.ms(20_000));
      long start = System.nanoTime();
      try {
        way.accept(Leases.once(run, name, 20_000));
        run.expect(false, "an attempt without an answer fails", "it gave a lease");
      } catch (CompletionException | LockException e) {
        Throwable told = e instanceof CompletionException ? e.getCause() : e;
        boolean unasked =
            told instanceof LockTimeoutException || told instanceof BackendUnavailableException;
        boolean over = RuleRun.since(start).compareTo(wait) >= 0;
        if (stage.get() == 1 && unasked && over && way != ways.get(0)) {
          throw NotReached.tooLate("for the wait was over before it was asked for: " + told);
        }
        run.expect(
            told instanceof OutcomeUnknownException,
            "what was sent and not answered stays unknown: OutcomeUnknownException",
            "it failed with " + told);
      }
      run.expectHeld(observer, name, "after a lost reply");
      stage.set(0);
      run.expectFree(observer, name, run.limit(5_000), "once the client can ask again");
    }
    run.fault("a lost reply, and no connection afterwards");
  }

  private static void acquire(LockClient client, LockRequest request) {
    try {
      client.acquire(request);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Rule(
      value = "E6",
      check = "that an attempt without an answer is abandoned in the background",
      timed = true)
  public static void anUnknownOutcomeIsCleanedUp(RuleRun run) throws Exception {
    AtomicInteger lost = new AtomicInteger();
    LockClient client = run.client(backend -> FaultyReplies.lost(backend, lost));
    LockClient observer = run.client();
    for (int i = 0; i < run.amount(3, 10, 50); i++) {
      String name = run.name();
      lost.set(Integer.MAX_VALUE);
      LockRequest request = Leases.lasting(run, name, 1_000).withWait(run.ms(300));
      run.expectThrows(
          LockException.class, "acquire without any answer", () -> client.acquire(request));
      lost.set(0);
      run.expectFree(observer, name, run.pastLease(1_000, 1_000), "after an unknown outcome");
    }
    run.fault("lost replies to all attempts");
    run.note("the names were free again within one lease");
  }

  @Rule(value = "E8", check = "that all settings are checked before any of them is used")
  public static void wrongSettingsAreNamedTogether(RuleRun run) {
    String joiner = run.uri().indexOf('?') < 0 ? "?" : "&";
    String wrong = run.uri() + joiner + "lease=banana&tck-no-such-option=1";
    LockConfigurationException refused = run.expectThrows(
        LockConfigurationException.class, "open with two faults", () -> Locks.open(wrong));
    String message = String.valueOf(refused.getMessage());
    for (String fault : new String[] {"lease", "banana", "tck-no-such-option"}) {
      run.expect(message.contains(fault), "the message names \"" + fault + "\"", message);
    }
  }

  @Rule(value = "E8", check = "that no message quotes a URI that may carry a password")
  public static void noMessageShowsASecret(RuleRun run) {
    String scheme = run.uri().substring(0, run.uri().indexOf(':'));
    String[] malformed = {
      scheme + "://tck:" + SECRET + "@ho st:99999999/^?lease=banana",
      scheme + "://tck:" + SECRET + "@[::1/?lease",
      takesPassword(run)
          ? scheme + "://tck:" + SECRET + "@localhost/?lease=banana&tck-no-such-option=1"
          : scheme + "://?lease=banana&tck-no-such-option=1"
    };
    for (String uri : malformed) {
      LockException refused = run.expectThrows(
          LockConfigurationException.class, "open of a wrong URI", () -> Locks.open(uri));
      expectNoSecret(run, refused);
    }
    LockException missing = run.expectThrows(
        LockProviderNotFoundException.class,
        "open without a provider",
        () -> Locks.open("tck-no-such-provider://tck:" + SECRET + "@localhost"));
    expectNoSecret(run, missing);
    run.expect(
        String.valueOf(missing.getMessage()).contains("tck-no-such-provider"),
        "the message names the provider that was asked for",
        String.valueOf(missing.getMessage()));
    run.note("messages and stack traces of refusals show no secret");
  }

  @Rule(value = "E8", check = "that what cannot be opened is told without the settings' secrets")
  public static void noFailureToOpenShowsASecret(RuleRun run) throws IOException {
    Optional<Endpoint> server = Endpoint.of(run.uri(), run.options());
    if (!takesPassword(run) || server.isEmpty()) {
      run.note("no password could be sent to a server");
      return;
    }
    // Bound, so that nobody else gets the port, and not listening, so that the system refuses
    // connections.
    try (Socket nobody = new Socket()) {
      nobody.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      for (String address : List.of(server.get().address(), "127.0.0.1:" + nobody.getLocalPort())) {
        String uri = server.get().uriAs("tck:" + SECRET, address);
        try {
          Locks.open(uri).close();
        } catch (LockException e) {
          expectNoSecret(run, e);
        }
      }
    }
    run.note("neither does what tells of a wrong password or of a server that is not there");
  }

  private static boolean takesPassword(RuleRun run) {
    return run.options().stream().anyMatch(option -> option.part() == Option.Part.PASSWORD);
  }

  private static void expectNoSecret(RuleRun run, LockException refused) {
    StringWriter all = new StringWriter();
    refused.printStackTrace(new PrintWriter(all));
    run.expect(
        !all.toString().contains(SECRET),
        "neither the message nor a cause shows the password",
        "one does: " + all.toString().replace(SECRET, "<the password>").lines().findFirst());
  }
}
