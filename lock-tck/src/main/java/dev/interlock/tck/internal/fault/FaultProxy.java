package dev.interlock.tck.internal.fault;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A TCP proxy between clients and a server, or several servers of one backend, that harms what
 * passes, when told to. Knows no protocol: what a client sends in one piece is taken for a request.
 * Thread-safe.
 */
public final class FaultProxy implements AutoCloseable {
  /** The kit's lock names begin with it. Where it never shows, the traffic is not readable. */
  private static final byte[] KIT = "tck:".getBytes(StandardCharsets.UTF_8);

  private static final int BACKLOG = 200;

  /** Where clients connect to, and the server behind it. */
  private record Door(ServerSocket listener, Endpoint server) {
    String address() {
      return "127.0.0.1:" + listener.getLocalPort();
    }
  }

  /** Between which client and server it is, of those that are kept in step. */
  private record Place(Waves waves, int client, int server) {}

  private final List<Door> doors;
  private final Set<Link> links = ConcurrentHashMap.newKeySet();
  private final List<Injection> injections = new CopyOnWriteArrayList<>();
  private volatile boolean harmed;
  private final Gate toClient = new Gate();
  private final AtomicLong requests = new AtomicLong();
  private final AtomicLong pushes = new AtomicLong();
  private final Map<MessageFault, Integer> hits = new ConcurrentHashMap<>();
  private final AtomicInteger refused = new AtomicInteger();
  private volatile boolean refusing;
  private volatile boolean readable;
  private volatile @Nullable Chaos chaos;
  private volatile @Nullable Place place;

  private FaultProxy(List<Door> doors) {
    this.doors = doors;
  }

  /** Starts before each of these servers, on free ports of the loopback address. */
  public static FaultProxy before(List<Endpoint> servers) throws IOException {
    List<Door> doors = new ArrayList<>();
    for (Endpoint server : servers) {
      doors.add(new Door(new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress()), server));
    }
    FaultProxy proxy = new FaultProxy(List.copyOf(doors));
    doors.forEach(door -> thread("accept", () -> proxy.accept(door)));
    return proxy;
  }

  /** Starts before one server, on a free port of the loopback address. */
  public static FaultProxy before(String host, int port) throws IOException {
    return before(List.of(new Endpoint("", host, port, "")));
  }

  /** Returns host and port before the first server, as a URI names them. */
  public String address() {
    return doors.get(0).address();
  }

  /** Returns hosts and ports, as URIs name them, in the order of the servers. */
  public List<String> addresses() {
    return doors.stream().map(Door::address).toList();
  }

  /** Plans a fault. */
  public Injection inject(Injection injection) {
    harmed = true;
    injections.add(injection);
    return injection;
  }

  /** Takes a planned fault back. */
  public void forget(Injection injection) {
    injections.remove(injection);
  }

  /** Harms requests at random from now on, one in so many. */
  public void harmAtRandom(SplittableRandom random, int oneIn) {
    harmed = true;
    chaos = new Chaos(random, oneIn);
  }

  /** Returns how often something was harmed so. */
  public int hits(MessageFault fault) {
    return hits.getOrDefault(fault, 0);
  }

  /** Cuts every connection at once; returns how many there were. */
  public int cut() {
    harmed = true;
    int cut = 0;
    for (Link link : links) {
      link.cut();
      cut++;
    }
    return cut;
  }

  /**
   * Lets nothing pass on the connections that are open now, for ever and without a word to either
   * side; new ones work. The server does not hear that a client gives one up. Returns how many
   * there were.
   */
  public int silence() {
    harmed = true;
    int silenced = 0;
    for (Link link : links) {
      link.silence();
      silenced++;
    }
    return silenced;
  }

  /** Accepts no connection from now on, or accepts them again. */
  public void refuse(boolean on) {
    if (on) {
      harmed = true;
    }
    refusing = on;
  }

  /** Returns how many connections were refused so far. */
  public int refused() {
    return refused.get();
  }

  /** Lets nothing through to the clients, or lets it through. */
  public void holdReplies(boolean on) {
    if (on) {
      harmed = true;
    }
    toClient.set(on);
  }

  /** Tells whether any harm was ever done, or planned. */
  public boolean wasHarmed() {
    return harmed;
  }

  /** Returns how often a client sent something. */
  public long requests() {
    return requests.get();
  }

  /** Returns how often the server sent something. */
  public long replies() {
    return pushes.get();
  }

  /** Keeps requests back until those of other clients have come. */
  void join(Waves waves, int client, int server) {
    harmed = true;
    place = new Place(waves, client, server);
  }

  /** Ends all harm; connections that are half open are cut. */
  public void heal() {
    Place current = place;
    place = null;
    if (current != null) {
      current.waves().end();
    }
    chaos = null;
    injections.clear();
    refusing = false;
    toClient.set(false);
    links.stream().filter(Link::isDeaf).forEach(Link::cut);
  }

  private void accept(Door door) {
    while (!door.listener().isClosed()) {
      try {
        Socket client = door.listener().accept();
        if (refusing) {
          refused.incrementAndGet();
          client.setSoLinger(true, 0);
          client.close();
        } else {
          thread("connect", () -> connect(door, client));
        }
      } catch (IOException e) {
        // The proxy is closed, or the client was gone before it was let in.
      }
    }
  }

  private void connect(Door door, Socket client) {
    try {
      Socket server = new Socket(door.server().host(), door.server().port());
      client.setTcpNoDelay(true);
      server.setTcpNoDelay(true);
      Link link = new Link(this, client, server);
      links.add(link);
      // Whoever cuts all off does so after refusing: it sees the link, or its refusal is seen here.
      if (refusing || door.listener().isClosed()) {
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
    hits.merge(injection.fault(), 1, Integer::sum);
  }

  /** Keeps a request back as long as it has to be. */
  void pass() throws InterruptedException {
    Place current = place;
    if (current != null) {
      current.waves().pass(current.client(), current.server());
    }
  }

  void replied() {
    pushes.incrementAndGet();
    Place current = place;
    if (current != null) {
      current.waves().answered();
    }
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
    for (Door door : doors) {
      door.listener().close();
    }
    cut();
  }
}
