package dev.interlock.redis.support.jedis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.interlock.HostPort;
import dev.interlock.LockConfig;
import dev.interlock.LockException;
import dev.interlock.OutcomeUnknownException;
import dev.interlock.redis.support.KeyLayout;
import dev.interlock.redis.support.LockKeys;
import dev.interlock.redis.support.jedis.Connections.Use;
import dev.interlock.spi.ClientId;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol.Command;

/**
 * Commands that one thread sends and awaits for a moment, and another may read, against a server
 * that says the last argument of each command again: late, in parts, or not to the end.
 */
@Timeout(60)
class ExchangeTest {
  private static final LockKeys KEYS = new KeyLayout("any").keys("n");
  private static final int POOL = 4;
  private static final long LONG = TimeUnit.SECONDS.toNanos(30);

  private final long seed = ThreadLocalRandom.current().nextLong();
  private final Queue<String> wrong = new ConcurrentLinkedQueue<>();
  private volatile Way way = (out, said) -> say(out, said, 0, said.length);
  private ServerSocket listener;
  private OwnConnections connections;
  private JedisCalls calls;

  /** How the server says something. */
  private interface Way {
    void say(OutputStream out, byte[] said) throws IOException;
  }

  @BeforeEach
  void open() throws IOException {
    listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    start(() -> {
      while (true) {
        Socket client = listener.accept();
        client.setTcpNoDelay(true);
        start(() -> serve(client));
      }
    });
    connections = OwnConnections.open(
        LockConfig.builder("any")
            .set(JedisOptions.HOSTS, List.of(HostPort.of("127.0.0.1", listener.getLocalPort())))
            .set(JedisOptions.POOL_SIZE, POOL)
            .build(),
        new ClientId("00000000000000aa", "host"));
    calls = new JedisCalls(connections);
  }

  @AfterEach
  void close() throws IOException {
    connections.close();
    listener.close();
  }

  private static void start(Executable work) {
    Thread thread = new Thread(() -> {
      try {
        work.execute();
      } catch (Throwable e) {
        // The connection or the listener is closed.
      }
    });
    thread.setDaemon(true);
    thread.start();
  }

  private void serve(Socket client) throws IOException {
    DataInputStream in = new DataInputStream(new BufferedInputStream(client.getInputStream()));
    try (client) {
      while (true) {
        int arguments = number(in);
        byte[] last = {};
        for (int i = 0; i < arguments; i++) {
          last = new byte[number(in)];
          in.readFully(last);
          in.skipNBytes(2);
        }
        String said = "$" + last.length + "\r\n" + new String(last, UTF_8) + "\r\n";
        way.say(client.getOutputStream(), said.getBytes(UTF_8));
      }
    }
  }

  /** Of a line such as {@code *2}. */
  private static int number(DataInputStream in) throws IOException {
    if (in.read() < 0) {
      throw new EOFException();
    }
    int number = 0;
    for (int next = in.read(); next != '\r'; next = in.read()) {
      number = 10 * number + next - '0';
    }
    in.skipNBytes(1);
    return number;
  }

  private static void say(OutputStream out, byte[] said, int from, int to) throws IOException {
    out.write(said, from, to - from);
    out.flush();
  }

  private static List<Supplier<CommandArguments>> echoes(String... said) {
    List<Supplier<CommandArguments>> commands = new ArrayList<>();
    for (String one : said) {
      commands.add(() -> new CommandArguments(Command.ECHO).add(one));
    }
    return commands;
  }

  private Exchange send(Use use, String... said) {
    Exchange atOnce = atOnce(use, said);
    return atOnce != null ? atOnce : calls.together(use, "ask", KEYS, echoes(said));
  }

  private @Nullable Exchange atOnce(Use use, String... said) {
    return calls.atOnce(use, "ask", KEYS, echoes(said));
  }

  private static void read(Exchange sent, List<String> heard) {
    sent.read((answer, place) -> heard.add(new String((byte[]) answer, UTF_8)));
  }

  private static boolean await(Exchange sent, long nanos, List<String> heard) {
    return sent.await(nanos, (answer, place) -> heard.add(new String((byte[]) answer, UTF_8)));
  }

  @Test
  @DisplayName("E1: whatever is late or comes in parts, each has the answers to its own questions")
  void hasItsOwn() throws Exception {
    way = (out, said) -> {
      ThreadLocalRandom random = ThreadLocalRandom.current();
      int part = random.nextInt(4) == 0 ? random.nextInt(said.length) : said.length;
      say(out, said, 0, part);
      pause(random.nextInt(3) == 0 ? random.nextInt(4) : 0);
      if (random.nextInt(100) == 0) {
        throw new IOException("cut");
      }
      say(out, said, part, said.length);
    };
    AtomicInteger early = new AtomicInteger();
    AtomicInteger late = new AtomicInteger();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      String name = "n" + i;
      SplittableRandom random = new SplittableRandom(seed + i);
      Thread thread = new Thread(() -> {
        for (int turn = 0; turn < 300; turn++) {
          List<String> asked = List.of(name + "-" + turn + "a", name + "-" + turn + "b");
          List<String> heard = new ArrayList<>();
          try {
            Exchange sent = send(Use.HOLDER, asked.toArray(String[]::new));
            if (await(sent, random.nextLong(2_500_000), heard)) {
              early.incrementAndGet();
            } else {
              read(sent, heard);
              late.incrementAndGet();
            }
          } catch (OutcomeUnknownException e) {
            asked = asked.subList(0, heard.size()); // it was cut
          }
          if (!heard.equals(asked)) {
            wrong.add(asked + " heard " + heard);
          }
        }
      });
      thread.start();
      threads.add(thread);
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(wrong).as("seed %d", seed).isEmpty();
    assertThat(early).hasPositiveValue();
    assertThat(late).hasPositiveValue();
  }

  private static void pause(long millis) {
    try {
      TimeUnit.MILLISECONDS.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  @DisplayName("E3: an error of whoever takes the answers costs these, and no others")
  void failsWhoTakes() {
    List<String> heard = new ArrayList<>();
    read(send(Use.ATTEMPT, "first"), heard);
    Exchange failing = send(Use.ATTEMPT, "a", "b");
    assertThatThrownBy(() -> failing.await(LONG, (answer, place) -> {
          throw new OutOfMemoryError("for the test");
        }))
        .isInstanceOf(OutOfMemoryError.class);
    Exchange next = send(Use.ATTEMPT, "c");
    assertThat(await(failing, LONG, heard)).isFalse();
    assertThatThrownBy(() -> read(failing, heard)).isInstanceOf(LockException.class);
    assertThat(await(next, LONG, heard)).isTrue();
    assertThat(heard).containsExactly("first", "c");
  }

  @Test
  @DisplayName("E5: an error while commands are written costs no connection")
  void failsWhoWrites() {
    List<Supplier<CommandArguments>> failing = List.of(() -> {
      throw new OutOfMemoryError("for the test");
    });
    for (int i = 0; i < 2 * POOL; i++) {
      assertThatThrownBy(() -> calls.together(Use.HOLDER, "ask", KEYS, failing))
          .isInstanceOf(OutOfMemoryError.class);
    }
    List<String> heard = new ArrayList<>();
    read(send(Use.HOLDER, "next"), heard);
    assertThat(heard).containsExactly("next");
  }

  static Stream<Way> brokenWays() {
    return Stream.of(
        (out, said) -> {
          say(out, said, 0, said.length - 1);
          throw new IOException("cut");
        },
        (out, said) -> { // more than was asked for
          byte[] twice = Arrays.copyOf(said, 2 * said.length);
          System.arraycopy(said, 0, twice, said.length, said.length);
          say(out, twice, 0, twice.length);
        });
  }

  @ParameterizedTest
  @MethodSource("brokenWays")
  @DisplayName("E3: what is not said as it should be is unknown, and its connection not used again")
  void breaks(Way broken) {
    List<String> heard = new ArrayList<>();
    read(send(Use.ATTEMPT, "first"), heard);
    Way whole = way;
    way = broken;
    Exchange unknown = send(Use.ATTEMPT, "a");
    assertThat(await(unknown, LONG, heard)).isFalse();
    assertThatThrownBy(() -> read(unknown, heard)).isInstanceOf(OutcomeUnknownException.class);
    way = whole;
    read(send(Use.ATTEMPT, "b"), heard);
    assertThat(heard).containsExactly("first", "b");
  }

  /** A write to a socket has no time limit. */
  @Test
  @DisplayName("W11: more than the operating system has room for ends in time on a silent server")
  void endsInTime() {
    read(send(Use.HOLDER, "first"), new ArrayList<>());
    way = (out, said) -> pause(30_000);
    String large = "x".repeat(100_000);
    FutureTask<Throwable> asking = new FutureTask<>(() -> catchThrowable(() -> read(
        calls.together(
            Use.HOLDER,
            "ask",
            KEYS,
            echoes(Stream.generate(() -> large).limit(256).toArray(String[]::new))),
        new ArrayList<>())));
    start(asking::run);
    assertThat(asking)
        .succeedsWithin(Duration.ofSeconds(15))
        .isInstanceOf(OutcomeUnknownException.class);
  }

  @Test
  @DisplayName("E1: of very many, too, each has the answer to its own question")
  void manyHaveTheirOwn() {
    String[] asked =
        IntStream.range(0, 2_000).mapToObj(i -> "question " + i).toArray(String[]::new);
    List<String> heard = new ArrayList<>();
    read(send(Use.HOLDER, asked), heard);
    assertThat(heard).containsExactly(asked);
  }

  @Test
  @DisplayName("W7: nothing is sent at once on the last connection, unless it is for a holder")
  void leavesTheLast() {
    List<String> heard = new ArrayList<>();
    List<Exchange> all = new ArrayList<>();
    for (int i = 0; i < POOL; i++) {
      all.add(calls.together(Use.HOLDER, "ask", KEYS, echoes("n" + i)));
    }
    all.forEach(each -> read(each, heard));
    heard.clear();
    all.clear();
    for (int i = 1; i < POOL; i++) {
      all.add(atOnce(Use.ATTEMPT, "n" + i));
    }
    assertThat(atOnce(Use.ATTEMPT, "one too many")).isNull();
    Exchange holder = atOnce(Use.HOLDER, "holder");
    assertThat(atOnce(Use.HOLDER, "one too many")).isNull();
    read(holder, heard);
    all.forEach(each -> read(each, heard));
    assertThat(heard).containsExactly("holder", "n1", "n2", "n3");
    assertThat(atOnce(Use.ATTEMPT, "again")).isNotNull();
  }
}
