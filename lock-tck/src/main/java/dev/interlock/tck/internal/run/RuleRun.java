package dev.interlock.tck.internal.run;

import dev.interlock.Capability;
import dev.interlock.Lease;
import dev.interlock.LockClient;
import dev.interlock.LockListener;
import dev.interlock.LockRequest;
import dev.interlock.Option;
import dev.interlock.spi.HoldId;
import dev.interlock.spi.LockBackend;
import dev.interlock.tck.Effort;
import dev.interlock.tck.NotOfferedException;
import dev.interlock.tck.TckBackend;
import dev.interlock.tck.TckFault;
import dev.interlock.tck.TckMembers;
import dev.interlock.tck.TckScales;
import dev.interlock.tck.TckServer;
import dev.interlock.tck.internal.fault.Endpoint;
import dev.interlock.tck.internal.fault.FaultProxy;
import dev.interlock.tck.internal.worker.Opener;
import dev.interlock.tck.internal.worker.ProcessWorker;
import dev.interlock.tck.internal.worker.Worker;
import dev.interlock.tck.internal.worker.WorkerPool;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

/**
 * What the test of a rule works with: names of its own, clients, workers, time limits, faults and
 * findings. Thread-safe, except that {@link #random()} belongs to the test's thread.
 */
public final class RuleRun extends Expectations {
  private final String rule;
  private final Target target;
  private final Effort effort;
  private final SplittableRandom random;
  private final long nameSeed;
  private final WorkerPool pool;
  private final TracedCalls traced = new TracedCalls(trace(), holdings());
  private final SpiCalls spi = new SpiCalls();
  private final AtomicInteger names = new AtomicInteger();
  private final AtomicInteger clients = new AtomicInteger();
  private final AtomicInteger workers = new AtomicInteger();
  private final JvmStarts starts = new JvmStarts();
  private final StallSource stalls;
  private final AtomicBoolean harmful = new AtomicBoolean();
  private final Queue<FaultProxy> proxies = new ConcurrentLinkedQueue<>();
  private final Deque<AutoCloseable> opened = new ArrayDeque<>();
  private final Deque<AutoCloseable> healers = new ArrayDeque<>();

  RuleRun(
      String rule,
      Target target,
      TckScales scales,
      Effort effort,
      long seed,
      WorkerPool pool,
      StallSource stalls) {
    super(scales);
    this.rule = rule;
    this.target = target;
    this.effort = effort;
    this.random = new SplittableRandom(seed ^ rule.hashCode());
    // Not from the seed: a run that is repeated must not meet what the first one left.
    this.nameSeed = System.nanoTime() & 0xFFFF_FFFFL;
    this.pool = pool;
    this.stalls = stalls;
  }

  // --- what to test

  public TckBackend backend() {
    return target.backend();
  }

  /** Returns the provider's URI, for tests on URIs. */
  public String uri() {
    if (target.isForeign()) {
      throw new NotOfferedException("open by a URI");
    }
    return target.backend().uri();
  }

  public List<Option<?>> options() {
    return target.options();
  }

  /** Tells whether the lock under test has an API of its own, and no provider. */
  public boolean isForeign() {
    return target.isForeign();
  }

  /** Returns how clients are opened, for tests that open them themselves. */
  public Opener opener() {
    return target.opener();
  }

  public boolean has(Capability capability) {
    return target.info().capabilities().contains(capability);
  }

  public boolean oneJvm() {
    return target.backend().isInOneJvm();
  }

  public SplittableRandom random() {
    return random;
  }

  /** Chooses an amount of work. */
  public int amount(int quick, int standard, int full) {
    return effort.of(quick, standard, full);
  }

  @Override
  public String name() {
    return key() + ":" + names.incrementAndGet();
  }

  /** Returns what no other run has. */
  String key() {
    return "tck:" + rule + ":" + Long.toHexString(nameSeed);
  }

  // --- clients and workers

  /** Opens a client in this JVM. */
  public LockClient client() {
    return open(opener());
  }

  /** Opens a client in this JVM that reports to a listener. */
  public LockClient client(LockListener listener) {
    String name = clientName();
    return keep(traced.of(opener().open(listener, spi.of(name)), name));
  }

  /** Opens the backend without the engine before it, to repeat commands and to send them late. */
  public DirectBackend direct() {
    requireSpi();
    return keep(target.open(spi.ofTheKit()).noting(holdings()));
  }

  private void requireSpi() {
    if (target.isForeign()) {
      throw new NotOfferedException("one that is repeated or sent late by its id");
    }
  }

  /** The same through a proxy, which is let see a lock's name as in {@link #client(FaultProxy)}. */
  public DirectBackend direct(FaultProxy proxy) throws InterruptedException {
    requireSpi();
    DirectBackend direct = keep(target.open(proxy, spi.ofTheKit()).noting(holdings()));
    String name = name();
    HoldId id = direct.newId();
    direct.acquire(name, id, ms(10_000), limit(3_000));
    direct.release(name, id);
    return direct;
  }

  /** Opens a client whose backend is wrapped, so that answers can be delayed and lost. */
  public LockClient client(UnaryOperator<LockBackend> wrapper) {
    String name = clientName();
    return keep(
        named(target.openWrapped(backend -> wrapper.apply(spi.of(name).apply(backend))), name));
  }

  /**
   * Opens a client in this JVM whose connections go through a proxy, and lets the proxy see a
   * lock's name, before any fault. Until it has seen one it cannot tell requests that have none
   * from traffic that hides them, and would harm greetings and preparations instead of the requests
   * that a rule is about.
   */
  public LockClient client(FaultProxy proxy) {
    LockClient client = open(opener(proxy));
    client.tryAcquire(LockRequest.of(name()).withLease(ms(10_000))).ifPresent(Lease::close);
    return client;
  }

  private LockClient open(Opener opener) {
    String name = clientName();
    return keep(named(opener.open(spi.of(name)), name));
  }

  private LockClient named(LockClient client, String name) {
    return traced.of(new NamedClient(client, "tck-" + rule + "-" + name), name);
  }

  private String clientName() {
    return "client-" + clients.incrementAndGet();
  }

  /** Returns a client in another JVM; each call in the next one. */
  public Worker worker() throws Exception {
    return workerAt(opener());
  }

  /** Returns a client in another JVM whose connections go through a proxy. */
  public Worker worker(FaultProxy proxy) throws Exception {
    return workerAt(opener(proxy));
  }

  /** The same, with connections to each member that can be harmed. */
  public Worker worker(MemberLinks links) throws Exception {
    return workerAt(opener(links));
  }

  private Worker workerAt(Opener opener) throws Exception {
    int index = workers.getAndIncrement();
    if (oneJvm()) {
      return keep(pool.inThisJvm(rule, opener, patience()));
    }
    return starts.during(() -> warmedUp(keep(pool.shared(rule, index, opener, patience()))));
  }

  /** Returns a client in a JVM that may be killed and paused. Another rule may have used it. */
  public ProcessWorker ownWorker() throws Exception {
    return own(opener());
  }

  /** The same, with connections that go through a proxy. */
  public ProcessWorker ownWorker(FaultProxy proxy) throws Exception {
    return own(opener(proxy));
  }

  private ProcessWorker own(Opener opener) throws Exception {
    return starts.during(() -> warmedUp(keep(pool.own(rule, key(), opener, patience()))));
  }

  /** The same in a JVM that has just begun, for what counts there, or with arguments for it. */
  public ProcessWorker freshWorker(String... jvmArguments) throws Exception {
    return starts.during(
        () -> warmedUp(keep(pool.fresh(rule, key(), opener(), patience(), List.of(jvmArguments)))));
  }

  /** Returns the starts of JVMs, whose time does not count against a time limit. */
  JvmStarts starts() {
    return starts;
  }

  /** How long one task of a worker may take. */
  private Duration patience() {
    return limit(amount(50_000, 50_000, 150_000));
  }

  /** A JVM's first use of a client takes longer than a short lease on a loaded machine. */
  private <W extends Worker> W warmedUp(W worker) throws Exception {
    String name = name();
    worker.run(space ->
        space.acquire(name, Duration.ofMinutes(1), Duration.ofSeconds(20)).release());
    return worker;
  }

  public <T extends AutoCloseable> T keep(T closeable) {
    synchronized (opened) {
      opened.push(closeable);
    }
    return closeable;
  }

  // --- faults

  /** Returns those of the faults that cannot be injected. */
  Set<TckFault> lacking(TckFault... faults) {
    Set<TckFault> lacking = EnumSet.noneOf(TckFault.class);
    lacking.addAll(List.of(faults));
    lacking.removeAll(target.faults());
    return lacking;
  }

  /** Tells whether a fault can be injected that makes a test harder, but is not needed. */
  public boolean offers(TckFault fault) {
    return target.faults().contains(fault);
  }

  /** Returns the way to injure the server, which is healed when the rule is done. */
  public TckServer server() {
    TckServer server = target.backend().control().orElseThrow();
    if (harmful.compareAndSet(false, true)) {
      stalls.suspend();
    }
    synchronized (opened) {
      healers.push(server::heal);
    }
    return server;
  }

  /** Starts a proxy before the server; before all of them if the backend is made of several. */
  public FaultProxy proxy() throws IOException {
    return proxy(target.route().orElseThrow().ends());
  }

  /** Starts a proxy before each member of a backend that is made of several servers. */
  public MemberLinks links() throws IOException {
    List<FaultProxy> proxies = new ArrayList<>();
    for (Endpoint member : target.route().orElseThrow().ends()) {
      proxies.add(proxy(List.of(member)));
    }
    return new MemberLinks(proxies);
  }

  /** Opens a client in this JVM whose connections to each member can be harmed. */
  public LockClient client(MemberLinks links) {
    return open(opener(links));
  }

  private Opener opener(MemberLinks links) {
    return opener().at(target.route().orElseThrow().uriAt(links.addresses()));
  }

  /** Returns the servers that the backend is made of. */
  public TckMembers members() {
    return target.backend().members().orElseThrow();
  }

  /** Opens a member's backend alone. */
  public DirectBackend direct(TckMembers.Member member) {
    return keep(target.open(member, spi.ofTheKit()));
  }

  /** Tells whether a member promises to keep what it has answered, whatever happens to it. */
  public boolean isDurable(TckMembers.Member member) {
    return target.capabilities(member).contains(Capability.DURABLE);
  }

  private FaultProxy proxy(List<Endpoint> servers) throws IOException {
    FaultProxy proxy = keep(FaultProxy.before(servers));
    proxies.add(proxy);
    synchronized (opened) {
      healers.push(proxy::heal);
    }
    return proxy;
  }

  private Opener opener(FaultProxy proxy) {
    return opener().at(target.route().orElseThrow().uriAt(proxy.addresses()));
  }

  // --- for the executor

  @Override
  void restart() {
    super.restart();
    proxies.clear();
  }

  /** Tells whether the test has done harm to connections itself. */
  boolean harmsConnections() {
    return proxies.stream().anyMatch(FaultProxy::wasHarmed);
  }

  /** Tells whether the test may have made the server stand still itself. */
  boolean harmsServer() {
    return harmful.get();
  }

  /** Returns how many of the test's own calls, and of its workers' tasks, have had an end. */
  long answers() {
    return trace().answers() + usedWorkers().stream().mapToLong(Worker::answers).sum();
  }

  private List<Worker> usedWorkers() {
    return opened().stream()
        .filter(Worker.class::isInstance)
        .map(Worker.class::cast)
        .toList();
  }

  /** Tells the last calls of the test, at the API in this JVM and at the SPI. */
  List<String> calls() {
    List<String> lines = new ArrayList<>(trace().lines());
    lines.addAll(spi.lines(trace().start(), violation(), usedWorkers()));
    return lines;
  }

  Deque<AutoCloseable> opened() {
    synchronized (opened) {
      return new ArrayDeque<>(opened);
    }
  }

  Deque<AutoCloseable> healers() {
    synchronized (opened) {
      return new ArrayDeque<>(healers);
    }
  }
}
