package dev.interlock.tck.internal.rules;

import dev.interlock.Capability;
import dev.interlock.DistributedLock;
import dev.interlock.DistributedReadWriteLock;
import dev.interlock.HoldInfo;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockRequest;
import dev.interlock.LockTimeoutException;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.Grant;
import dev.interlock.spi.HoldId;
import dev.interlock.tck.TckFault;
import dev.interlock.tck.internal.history.History;
import dev.interlock.tck.internal.history.Hold;
import dev.interlock.tck.internal.rules.CountedContention.Part;
import dev.interlock.tck.internal.run.DirectBackend;
import dev.interlock.tck.internal.run.Neighbours;
import dev.interlock.tck.internal.run.Rule;
import dev.interlock.tck.internal.run.RuleRun;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/** Group R. */
public final class ReadWriteRules {
  private static final List<Part> PARTS =
      List.of(Part.READER, Part.READER, Part.READER, Part.WHOLE);

  private ReadWriteRules() {}

  @Rule(value = "R1", check = "that each reader is a hold of its own, which keeps writers out")
  public static void readersHoldTogether(RuleRun run) throws Exception {
    String name = run.name();
    List<LockClient> clients = List.of(run.client(), run.client(), run.client());
    LockClient observer = run.client();
    LockRequest reader = Leases.fixed(run, name, 20_000).shared();
    List<Lease> readers = new ArrayList<>();
    for (LockClient client : clients) {
      readers.add(client.acquire(reader));
      readers.add(client.acquire(reader));
    }
    HoldInfo info = observer.inspect(name).orElseThrow();
    if (run.has(Capability.FENCED)) {
      Stream<HoldInfo> told = Stream.concat(Stream.of(info), info.others().stream());
      List<Long> tokens = told.map(HoldInfo::fencingToken).sorted().toList();
      List<Long> given = readers.stream().map(Lease::fencingToken).sorted().toList();
      run.expect(tokens.equals(given), "inspect tells the readers' tokens " + given, "" + tokens);
    }
    run.expect(
        info.others().size() == readers.size() - 1,
        "inspect tells all " + readers.size() + " readers",
        "it tells one and " + info.others().size() + " others");
    for (Lease lease : readers) {
      run.expectHeld(observer, name, "while there is a reader");
      lease.release();
    }
    try (Lease writer = clients.get(0).acquire(Leases.fixed(run, name, 20_000))) {
      for (LockClient client : clients) {
        run.expectWhileHeld(
            name,
            () -> client.tryAcquire(Leases.once(run, name, 1_000).shared()).isEmpty(),
            "no reader enters beside the writer " + writer.name(),
            "one did");
      }
    }
    run.expectFree(observer, name, run.limit(1_000), "after readers and a writer");
  }

  @Rule(
      value = "R1",
      check =
          "that an attempt counts the holds and takes its part in one atomic step on the server",
      neighbours = Neighbours.FEW)
  public static void aWriterIsAlone(RuleRun run) throws Exception {
    List<Hold> holds = contend(run);
    run.judge(History.ofUnits(holds), "readers hold together, and a writer alone");
    run.note(holds.size() + " holds by readers and writers in three clients, no writer beside one");
  }

  private static List<Hold> contend(RuleRun run) throws Exception {
    Duration time = Duration.ofMillis(run.amount(1_500, 5_000, 30_000));
    return CountedContention.run(run, PARTS, time);
  }

  @Rule(
      value = "R5",
      check = "what the history shows: who wrote beside whom, and after which fault",
      neighbours = Neighbours.NONE,
      limit = 150,
      needs = TckFault.CONNECTION)
  public static void aWriterIsAloneWhenClientsFail(RuleRun run) throws Exception {
    Duration time = Duration.ofMillis(run.amount(2_500, 15_000, 45_000));
    List<Hold> holds = FaultyContention.run(run, time, PARTS);
    run.judge(
        History.ofUnits(holds), "readers hold together, and a writer alone, when clients fail");
    run.note(holds.size() + " holds by readers and writers between the faults");
  }

  @Rule(
      value = "R2",
      check = "that whoever comes after a waiting writer waits too, and that one step lets in all"
          + " readers in front",
      timed = true)
  public static void readersAndWritersAreServedInOrder(RuleRun run) throws Exception {
    String name = run.name();
    Lease held = run.client().acquire(Leases.fixed(run, name, 30_000));
    List<LockClient> clients = List.of(run.client(), run.client());
    LockClient observer = run.client();
    LockRequest writer = Queues.request(run, name);
    LockRequest reader = writer.shared();
    List<CompletableFuture<Lease>> queue = new ArrayList<>();
    for (LockRequest request :
        List.of(reader, reader, reader, writer, reader, reader, writer, reader)) {
      queue.add(Queues.enter(run, clients, observer, request, queue.size()));
    }
    held.release();
    serveTogether(run, queue, 0, 3);
    run.expect(
        observer.tryAcquire(Leases.once(run, name, 1_000).shared()).isEmpty(),
        "a reader that comes while a writer waits is kept out",
        "it entered before the writer");
    giveBack(queue, 0, 3);
    serveTogether(run, queue, 3, 4);
    giveBack(queue, 3, 4);
    serveTogether(run, queue, 4, 6);
    giveBack(queue, 4, 6);
    serveTogether(run, queue, 6, 7);
    giveBack(queue, 6, 7);
    serveTogether(run, queue, 7, 8);
    giveBack(queue, 7, 8);
    run.note("8 readers and writers were served in order, readers together");
  }

  /** All of these have it at the same time, and nobody behind them. */
  private static void serveTogether(
      RuleRun run, List<CompletableFuture<Lease>> queue, int from, int to) throws Exception {
    for (int i = from; i < to; i++) {
      Queues.expectServed(run, queue.get(i), "place " + i + " of the queue");
    }
    for (int i = to; i < queue.size(); i++) {
      run.expect(
          !queue.get(i).isDone(), "place " + i + " waits for place " + (to - 1), "it was served");
    }
  }

  private static void giveBack(List<CompletableFuture<Lease>> queue, int from, int to)
      throws Exception {
    for (int i = from; i < to; i++) {
      queue.get(i).get().release();
    }
  }

  @Rule(
      value = "R3",
      check = "that a reader's owner need not wait for a writer that waits for it",
      timed = true)
  public static void aReaderReadsAgainThoughAWriterWaits(RuleRun run) throws Exception {
    String name = run.name();
    LockClient other = run.client();
    DistributedLock read = run.client().readWriteLock(name).readLock();
    expectLocked(run, read, "a free lock");
    CompletableFuture<Lease> writer =
        Queues.enter(run, List.of(other), run.client(), Queues.request(run, name), 0);
    expectLocked(run, read, "a lock that it reads already");
    read.unlock();
    run.expect(!writer.isDone(), "the writer waits for the outer entry", "it was served");
    read.unlock();
    Queues.expectServed(run, writer, "the writer behind the reader");
    writer.get().release();
  }

  @Rule(
      value = "R3",
      check = "Attempt.beside(): a hold of the same owner does not count",
      timed = true)
  public static void aWriterBecomesAReader(RuleRun run) throws Exception {
    String name = run.name();
    DistributedReadWriteLock lock = run.client().readWriteLock(name);
    LockClient observer = run.client();
    expectLocked(run, lock.writeLock(), "a free lock");
    LockRequest request = Queues.request(run, name);
    CompletableFuture<Lease> reader =
        Queues.enter(run, List.of(observer), observer, request.shared(), 0);
    CompletableFuture<Lease> writer = Queues.enter(run, List.of(observer), observer, request, 1);
    expectLocked(run, lock.readLock(), "a lock that it writes");
    run.expect(!reader.isDone(), "other readers wait for the writer", "one was served");
    lock.writeLock().unlock();
    Queues.expectServed(run, reader, "a reader behind a writer that goes on as a reader");
    reader.get().release();
    run.expect(!writer.isDone(), "a writer waits for it", "it was served");
    lock.readLock().unlock();
    Queues.expectServed(run, writer, "the writer behind both");
    writer.get().release();
  }

  @Rule(value = "R3", check = "that a thread that reads is not let wait as a writer")
  public static void anUpgradeIsRefused(RuleRun run) throws Exception {
    DistributedReadWriteLock lock = run.client().readWriteLock(run.name());
    expectLocked(run, lock.readLock(), "a free lock");
    run.expectThrows(
        IllegalStateException.class,
        "the write lock for a thread that reads",
        () -> lock.writeLock().tryLock(run.ms(1_000), run.ms(10_000)));
    run.expect(lock.readLock().isHeldByCurrentThread(), "it reads on", "it does not");
    lock.readLock().unlock();
  }

  @Rule(
      value = "R3",
      check = "that a named owner's hold lets its readers in from another client",
      timed = true)
  public static void aNamedOwnerReadsElsewhere(RuleRun run) throws Exception {
    if (!run.has(Capability.SHARED_OWNER)) {
      return;
    }
    String name = run.name();
    LockRequest request = Queues.request(run, name);
    LockRequest saga = request.withOwner(SharedOwnerRules.OWNER).shared();
    LockClient other = run.client();
    Lease outer = run.client().acquire(saga);
    CompletableFuture<Lease> writer = Queues.enter(run, List.of(other), run.client(), request, 0);
    CompletableFuture<Lease> inner = other.acquireAsync(saga);
    Queues.expectServed(run, inner, "a further reader of the same named owner");
    outer.release();
    run.expect(!writer.isDone(), "the writer waits for the owner's other entry", "it was served");
    inner.get().release();
    Queues.expectServed(run, writer, "the writer behind the owner");
    writer.get().release();
  }

  /** Not by lock(): a provider that lets nobody in would be waited for without limit. */
  private static void expectLocked(RuleRun run, DistributedLock lock, String what)
      throws InterruptedException {
    run.expect(
        lock.tryLock(run.limit(3_000), run.ms(30_000)), "a thread enters " + what, "it waits");
  }

  @Rule(value = "R4", check = "that each grant takes the next token, a reader's too")
  public static void tokensGrowInTheOrderOfGrants(RuleRun run) throws Exception {
    if (!run.has(Capability.FENCED)) {
      return;
    }
    String name = run.name();
    List<LockClient> clients = List.of(run.client(), run.client());
    LockRequest request = Leases.fixed(run, name, 20_000);
    long last = 0;
    for (int round = 0; round < 3; round++) {
      List<Lease> readers = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        Lease reader = clients.get(i % 2).acquire(request.shared());
        readers.add(reader);
        last = larger(run, last, reader, "a reader");
      }
      for (Lease reader : readers) {
        reader.release();
      }
      Lease writer = clients.get(round % 2).acquire(request);
      last = larger(run, last, writer, "a writer");
      writer.release();
    }
    run.judge(
        History.ofTokens(contend(run)),
        "a writer's token is larger than all before, and not after");
  }

  private static long larger(RuleRun run, long before, Lease lease, String who) {
    long token = lease.fencingToken();
    run.expect(token > before, who + " has a token larger than " + before, "it has token " + token);
    return token;
  }

  @Rule(value = "R5", check = "that entries of the queue go when their waits end", timed = true)
  public static void waitsOfEachKindEndAndLeaveNothing(RuleRun run) throws Exception {
    LockClient client = run.client();
    for (boolean reads : new boolean[] {true, false}) {
      String name = run.name();
      LockRequest plain = Leases.fixed(run, name, 30_000);
      LockRequest waiter = reads ? plain.shared() : plain;
      Lease held = run.client().acquire(reads ? plain : plain.shared());
      long start = System.nanoTime();
      run.expectThrows(
          LockTimeoutException.class,
          "acquire with a wait",
          () -> client.acquire(waiter.withWait(run.ms(300))));
      Duration took = RuleRun.since(start);
      run.expect(
          took.compareTo(run.within(300, 1_000)) <= 0,
          "a wait of 300 ms ends within 1 s more",
          "it took " + took.toMillis() + " ms");
      CompletableFuture<Lease> cancelled =
          Queues.enter(run, List.of(client), run.client(), waiter.withWait(run.ms(20_000)), 0);
      CompletableFuture<Lease> behind =
          run.client().acquireAsync(Queues.request(run, name).shared());
      cancelled.cancel(true);
      held.release();
      Queues.expectServed(run, behind, "one behind a wait that was cancelled");
      behind.get().release();
      run.expectFree(run.client(), name, run.limit(1_000), "after waits that have ended");
    }
  }

  @Rule(value = "R5", check = "that a reader's attempt and its release are known by their id")
  public static void aRepeatedCommandOfAReaderCountsOnce(RuleRun run) throws Exception {
    DirectBackend direct = run.direct();
    LockClient observer = run.client();
    String name = run.name();
    HoldId first = direct.newId();
    HoldId second = direct.newId();
    for (HoldId id : List.of(first, first, second, second, first)) {
      Attempt attempt = Attempt.of(name, id, "tck", run.ms(20_000))
          .withFair(true)
          .withUnits(Part.READER.units(), Part.READER.capacity());
      run.expect(direct.attempt(attempt) instanceof Grant, "a reader is granted", "it is not");
    }
    run.expect(direct.release(name, first), "the first release is known", "it is not");
    run.expect(!direct.release(name, first), "its repetition is not", "it is");
    run.expectHeld(observer, name, "while the other reader holds");
    run.expect(direct.release(name, second), "the second release is known", "it is not");
    run.expectFree(observer, name, run.limit(1_000), "after one release for each reader");
    run.fault("attempts and releases sent twice");
  }

  @Rule(value = "R5", check = "that each reader has a lease of its own", timed = true)
  public static void anExpiredReaderLetsTheWriterIn(RuleRun run) throws Exception {
    List<TwoReaders> pairs = new ArrayList<>();
    LockClient client = run.client();
    LockClient writing = run.client();
    // Who comes in beside another must not set its lease either, whichever of them is longer.
    for (boolean longerFirst : new boolean[] {true, true, false}) {
      pairs.add(TwoReaders.of(run, client, writing, longerFirst));
    }
    Lease extended = pairs.get(0).longer();
    long start = System.nanoTime();
    // Until the shorter one is over: an extension may begin another reader's lease anew each time.
    while (RuleRun.since(start).compareTo(run.expiry(2_500)) < 0) {
      if (run.has(Capability.RENEWABLE)) {
        run.expect(extended.extend(run.ms(20_000)), "a reader's lease is extended", "it is not");
      }
      RuleRun.pause(run.ms(250));
    }
    for (TwoReaders pair : pairs) {
      CompletableFuture<Lease> writer = pair.writer();
      run.expect(!writer.isDone(), "a writer waits for the longer lease", "it was served");
      pair.longer().release();
      Queues.expectServed(run, writer, "a writer behind readers, one of which expired,");
      writer.get().release();
    }
    run.note("readers that came in one after the other each kept their own lease");
  }

  /** Readers of which one is to expire, and a writer that waits for both. */
  private record TwoReaders(Lease longer, CompletableFuture<Lease> writer) {
    static TwoReaders of(RuleRun run, LockClient client, LockClient writing, boolean longerFirst)
        throws InterruptedException {
      LockRequest request = Queues.request(run, run.name());
      LockRequest brief = Leases.fixed(run, request.name(), 2_000).shared();
      LockRequest lasting = Leases.fixed(run, request.name(), 20_000).shared();
      Lease first = client.acquire(longerFirst ? lasting : brief);
      Lease second = client.acquire(longerFirst ? brief : lasting);
      return new TwoReaders(longerFirst ? first : second, writing.acquireAsync(request));
    }
  }

  @Rule(
      value = "R5",
      check = "that the end of a wait serves those who waited behind it",
      timed = true)
  public static void whoeverStoodBehindAWriterThatLeftComesIn(RuleRun run) throws Exception {
    String name = run.name();
    LockClient observer = run.client();
    LockRequest request = Queues.request(run, name);
    Lease reading = run.client().acquire(Leases.fixed(run, name, 60_000).shared());
    CompletableFuture<Lease> writer =
        Queues.enter(run, List.of(run.client()), observer, request, 0);
    CompletableFuture<Lease> reader =
        Queues.enter(run, List.of(run.client()), observer, request.shared(), 1);
    run.expect(!reader.isDone(), "a reader waits behind a writer", "it was served");
    writer.cancel(true);
    Queues.expectServed(run, reader, "a reader behind a writer that gave up, beside a reader,");
    reader.get().release();
    reading.release();
    run.expectFree(observer, name, run.limit(1_000), "after two readers");
  }
}
