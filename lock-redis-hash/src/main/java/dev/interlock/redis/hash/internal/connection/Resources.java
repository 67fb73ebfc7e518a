package dev.interlock.redis.hash.internal.connection;

import dev.interlock.spi.Uninterruptibly;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.metrics.CommandLatencyRecorder;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.DefaultEventLoopGroupProvider;
import io.lettuce.core.resource.Delay;
import io.lettuce.core.resource.DnsResolvers;
import io.lettuce.core.resource.EventLoopGroupProvider;
import io.lettuce.core.resource.NettyCustomizer;
import io.lettuce.core.resource.SocketAddressResolver;
import io.netty.channel.Channel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Lettuce clients of our own, with their threads and timers. All connections share one thread, and
 * so a wake-up.
 */
final class Resources implements AutoCloseable {
  private static final Duration LONGEST_RECONNECT = Duration.ofMillis(500);
  private static final int THREADS = 2;

  /** How long each part may take to end. */
  private static final long END_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final EventLoopGroupProvider eventLoop = new DefaultEventLoopGroupProvider(1);
  private final ClientResources lettuce;
  private final List<ClientResources> all = new ArrayList<>();
  private final List<AbstractRedisClient> clients = new ArrayList<>();

  /**
   * Starts them.
   *
   * @param replyTimeout after which a connection is closed that hears nothing
   */
  Resources(Duration replyTimeout) {
    NettyCustomizer flushTogether = new FlushTogether();
    this.lettuce = DefaultClientResources.builder()
        .eventLoopGroupProvider(eventLoop)
        .socketAddressResolver(SocketAddressResolver.create(DnsResolvers.UNRESOLVED))
        .computationThreadPoolSize(THREADS)
        .commandLatencyRecorder(CommandLatencyRecorder.disabled())
        .nettyCustomizer(new NettyCustomizer() {
          @Override
          public void afterChannelInitialized(Channel channel) {
            flushTogether.afterChannelInitialized(channel);
            channel.pipeline().addFirst(new ReplyTimeout(replyTimeout));
          }
        })
        .reconnectDelay(
            Delay.exponential(Duration.ofMillis(1), LONGEST_RECONNECT, 2, TimeUnit.MILLISECONDS))
        .build();
    all.add(lettuce);
  }

  /** For a client whose connections lead where they are told to. */
  ClientResources lettuce() {
    return lettuce;
  }

  /**
   * The same threads, for a client whose connections are somebody's concern.
   *
   * @param concerned is shown each of them
   * @param addresses finds where they are to lead
   */
  ClientResources lettuce(NettyCustomizer concerned, SocketAddressResolver addresses) {
    NettyCustomizer common = lettuce.nettyCustomizer();
    ClientResources further = lettuce
        .mutate()
        .socketAddressResolver(addresses)
        .nettyCustomizer(new NettyCustomizer() {
          @Override
          public void afterChannelInitialized(Channel channel) {
            common.afterChannelInitialized(channel);
            concerned.afterChannelInitialized(channel);
          }
        })
        .build();
    all.add(further);
    return further;
  }

  /** Has a client closed before its threads. */
  <C extends AbstractRedisClient> C closing(C client) {
    clients.add(client);
    return client;
  }

  @Override
  public void close() {
    // It gives connections up that could not be made: netty logs each, once the threads have ended.
    lettuce.timer().stop();
    clients.forEach(client -> awaitEnd(client.shutdownAsync(0, END_NANOS, TimeUnit.NANOSECONDS)));
    // Each: Lettuce warns of one that was not, though its threads have ended.
    all.forEach(each -> awaitEnd(each.shutdown(0, END_NANOS, TimeUnit.NANOSECONDS)));
    awaitEnd(eventLoop.shutdown(0, END_NANOS, TimeUnit.NANOSECONDS));
  }

  private static void awaitEnd(Future<?> end) {
    try {
      var unused = Uninterruptibly.get(end, END_NANOS);
    } catch (ExecutionException | TimeoutException | CancellationException e) {
      // Nothing more can be done to end it.
    }
  }
}
