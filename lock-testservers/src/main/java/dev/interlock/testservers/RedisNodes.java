package dev.interlock.testservers;

import dev.interlock.testservers.internal.redis.RedisAtEndpoint;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Collectors;

/** Several servers that belong together. Thread-safe. */
final class RedisNodes implements AutoCloseable {
  private final List<RedisServer> servers;

  private RedisNodes(List<RedisServer> servers) {
    this.servers = List.copyOf(servers);
  }

  /** Starts all of them at once, since each start is mostly waiting; all or none. */
  static RedisNodes start(List<RedisServerBuilder> builders) {
    List<CompletableFuture<RedisServer>> starts = builders.stream()
        .map(builder -> CompletableFuture.supplyAsync(builder::start, RedisNodes::onOwnThread))
        .toList();
    List<RedisServer> started = new ArrayList<>();
    RuntimeException failure = null;
    for (CompletableFuture<RedisServer> start : starts) {
      try {
        started.add(start.join());
      } catch (CompletionException e) {
        failure = e.getCause() instanceof RuntimeException cause ? cause : e;
      }
    }
    RedisNodes nodes = new RedisNodes(started);
    if (failure != null) {
      nodes.close();
      throw failure;
    }
    return nodes;
  }

  private static void onOwnThread(Runnable start) {
    new Thread(start, "interlock-testservers-start").start();
  }

  List<RedisServer> servers() {
    return servers;
  }

  /** Those that answer. */
  List<RedisServer> living() {
    return servers.stream()
        .filter(server -> server instanceof RedisAtEndpoint node && node.isUp())
        .toList();
  }

  /** The server that listens on a port. */
  RedisServer at(int port) {
    return servers.stream()
        .filter(server -> server.port() == port)
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("No server here has port " + port + "."));
  }

  /** The addresses with the credentials of one of them, for a URI with several hosts. */
  String uri(String scheme) {
    String first = servers.get(0).uri(scheme);
    String address = servers.get(0).host() + ":" + servers.get(0).port();
    String all = servers.stream()
        .map(server -> server.host() + ":" + server.port())
        .collect(Collectors.joining(","));
    return first.substring(0, first.lastIndexOf(address)) + all;
  }

  @Override
  public void close() {
    servers.forEach(RedisServer::close);
  }
}
