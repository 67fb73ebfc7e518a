package dev.interlock.tck.internal.fault;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A TCP proxy between clients and a server that harms what passes, when told to. Knows no protocol:
 * what a client sends in one piece is taken for a request. Thread-safe.
 */
public final class FaultProxy implements AutoCloseable {
  /** The kit's lock names begin with it. Where it never shows, the traffic is not readable. */
  private static final byte[] KIT = "tck:".getBytes(StandardCharsets.UTF_8);

  private static final int BACKLOG = 200;

  private final ServerSocket listener;
  private final String host;
  private final int port;
  private final Set<Link> links = ConcurrentHashMap.newKeySet();
  private final List<Injection> injections = new CopyOnWriteArrayList<>();
  private final Gate toClient = new Gate();
  private final AtomicLong requests = new AtomicLong();
  private final AtomicLong pushes = new AtomicLong();
  private final Map<Effect, Integer> hits = new ConcurrentHashMap<>();
  private volatile boolean refusing;
  private volatile boolean readable;
  private volatile @Nullable Chaos chaos;

  private FaultProxy(ServerSocket listener, String host, int port) {
    this.listener = listener;
    this.host = host;
    this.port = port;
  }

  /** Starts on a free port of the loopback address. */
  public static FaultProxy before(String host, int port) throws IOException {
    ServerSocket listener = new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
    FaultProxy proxy = new FaultProxy(listener, host, port);
    thread("accept", proxy::accept);
    return proxy;
  }

  /** Returns host and port, as a URI names them. */
  public String address() {
    return "127.0.0.1:" + listener.getLocalPort();
  }

  /** Plans a fault. */
  public Injection inject(Injection injection) {
    injections.add(injection);
    return injection;
  }

  /** Takes a planned fault back. */
  public void forget(Injection injection) {
    injections.remove(injection);
  }

  /** Harms requests at random from now on, one in so many. */
  public void harmAtRandom(SplittableRandom random, int oneIn) {
    chaos = new Chaos(random, oneIn);
  }

  /** Returns how often something was harmed so. */
  public int hits(Effect effect) {
    return hits.getOrDefault(effect, 0);
  }

  /** Cuts every connection at once; returns how many there were. */
  public int cut() {
    int cut = 0;
    for (Link link : links) {
      link.cut();
      cut++;
    }
    return cut;
  }

  /**
   * Lets nothing pass on the connections that are open now, for ever and without a word to either
   * side; new ones work. Returns how many there were.
   */
  public int silence() {
    int silenced = 0;
    for (Link link : links) {
      link.silence();
      silenced++;
    }
    return silenced;
  }

  /** Accepts no connection from now on, or accepts them again. */
  public void refuse(boolean on) {
    refusing = on;
  }

  /** Lets nothing through to the clients, or lets it through. */
  public void holdReplies(boolean on) {
    toClient.set(on);
  }

  /** Returns how often a client sent something. */
  public long requests() {
    return requests.get();
  }

  /** Returns how often the server sent something. */
  public long replies() {
    return pushes.get();
  }

  /** Ends all harm; connections that are half open are cut. */
  public void heal() {
    chaos = null;
    injections.clear();
    refusing = false;
    toClient.set(false);
    links.stream().filter(Link::isDeaf).forEach(Link::cut);
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket client = listener.accept();
        if (refusing) {
          client.setSoLinger(true, 0);
          client.close();
        } else {
          thread("connect", () -> connect(client));
        }
      } catch (IOException e) {
        // The proxy is closed, or the client was gone before it was let in.
      }
    }
  }

  private void connect(Socket client) {
    try {
      Socket server = new Socket(host, port);
      client.setTcpNoDelay(true);
      server.setTcpNoDelay(true);
      Link link = new Link(this, client, server);
      links.add(link);
      // Whoever cuts all off does so after refusing: it sees the link, or its refusal is seen here.
      if (refusing || listener.isClosed()) {
        link.cut();
        return;
      }
      thread("requests", link::pumpRequests);
      thread("replies", link::pumpReplies);
    } catch (IOException e) {
      try {
        client.close();
      } catch (IOException ignored) {
        // It is closed then.
      }
    }
  }

  /** Chooses what happens to a request; null if nothing. */
  @Nullable
  Injection harm(byte[] request, int length) {
    requests.incrementAndGet();
    if (!readable && Injection.contains(request, length, KIT)) {
      readable = true;
    }
    for (Injection injection : injections) {
      if (injection.takes(request, length, readable)) {
        return injection;
      }
    }
    Chaos current = chaos;
    return current == null ? null : current.harm();
  }

  void hit(Injection injection) {
    injection.hit();
    hits.merge(injection.effect(), 1, Integer::sum);
  }

  void replied() {
    pushes.incrementAndGet();
  }

  Gate toClient() {
    return toClient;
  }

  void ended(Link link) {
    links.remove(link);
  }

  private static void thread(String name, Runnable work) {
    Thread thread = new Thread(work, "tck-proxy-" + name);
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() throws IOException {
    heal();
    listener.close();
    cut();
  }
}
