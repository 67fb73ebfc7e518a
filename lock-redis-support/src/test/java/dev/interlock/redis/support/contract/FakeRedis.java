package dev.interlock.redis.support.contract;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.interlock.HostPort;
import dev.interlock.LockConfig;
import dev.interlock.redis.support.RedisOptions;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Answers as a test wants, in RESP2. */
public final class FakeRedis implements AutoCloseable {
  private final ServerSocket listening;
  private final Function<List<String>, @Nullable String> answers;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();

  /** Answers each command with this; with null it closes the connection. */
  public FakeRedis(Function<List<String>, @Nullable String> answers) throws IOException {
    this.answers = answers;
    this.listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    run(this::accept);
  }

  public HostPort host() {
    return HostPort.of("127.0.0.1", listening.getLocalPort());
  }

  public LockConfig.Builder config() {
    return LockConfig.builder("any").set(RedisOptions.HOSTS, List.of(host()));
  }

  /** How many connections there are. */
  public int connections() {
    return open.size();
  }

  /** Sends this on all connections, as news to who has subscribed. */
  public void push(String message) {
    for (Socket socket : open) {
      try {
        socket.getOutputStream().write(message.getBytes(UTF_8));
      } catch (IOException e) {
        // Whoever asked here has its answer, and is gone.
      }
    }
  }

  /** Cuts all connections; new ones are taken. */
  public void cut() throws IOException {
    for (Socket socket : open) {
      socket.close();
    }
  }

  @Override
  public void close() throws IOException {
    listening.close();
    cut();
  }

  private void accept() throws IOException {
    while (true) {
      Socket socket = listening.accept();
      open.add(socket);
      run(() -> serve(socket));
    }
  }

  private void serve(Socket socket) throws IOException {
    try (socket) {
      BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8));
      for (String head = in.readLine(); head != null; head = in.readLine()) {
        List<String> words = new ArrayList<>();
        for (int left = Integer.parseInt(head.substring(1)); left > 0; left--) {
          in.readLine(); // the length
          words.add(in.readLine());
        }
        String answer = answers.apply(words);
        if (answer == null) {
          return;
        }
        socket.getOutputStream().write(answer.getBytes(UTF_8));
      }
    } finally {
      open.remove(socket);
    }
  }

  /** What runs until a socket is closed. */
  private interface Serving {
    void run() throws IOException;
  }

  private static void run(Serving serving) {
    Thread thread = new Thread(
        () -> {
          try {
            serving.run();
          } catch (IOException e) {
            // It was closed.
          }
        },
        "fake-redis");
    thread.setDaemon(true);
    thread.start();
  }
}
