package dev.interlock.redis.hash.internal.connection;

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
import java.util.concurrent.TimeUnit;

/**
 * Threads and timers of a Lettuce client of our own. All connections share one thread, and so a
 * wake-up.
 */
final class Resources implements AutoCloseable {
  private static final Duration LONGEST_RECONNECT = Duration.ofMillis(500);
  private static final int THREADS = 2;

  private final EventLoopGroupProvider eventLoop = new DefaultEventLoopGroupProvider(1);
  private final ClientResources lettuce;

  /**
   * Starts them.
   *
   * @param replyTimeout after which a connection is closed that hears nothing
   * @param customizer is shown every connection
   */
  Resources(Duration replyTimeout, NettyCustomizer customizer) {
    this(replyTimeout, customizer, SocketAddressResolver.create(DnsResolvers.UNRESOLVED));
  }

  /**
   * Starts them.
   *
   * @param replyTimeout after which a connection is closed that hears nothing
   * @param customizer is shown every connection
   * @param addresses finds where a connection is to lead
   */
  Resources(Duration replyTimeout, NettyCustomizer customizer, SocketAddressResolver addresses) {
    NettyCustomizer flushTogether = new FlushTogether();
    this.lettuce = DefaultClientResources.builder()
        .eventLoopGroupProvider(eventLoop)
        .socketAddressResolver(addresses)
        .computationThreadPoolSize(THREADS)
        .commandLatencyRecorder(CommandLatencyRecorder.disabled())
        .nettyCustomizer(new NettyCustomizer() {
          @Override
          public void afterChannelInitialized(Channel channel) {
            flushTogether.afterChannelInitialized(channel);
            channel.pipeline().addFirst(new ReplyTimeout(replyTimeout));
            customizer.afterChannelInitialized(channel);
          }
        })
        .reconnectDelay(
            Delay.exponential(Duration.ofMillis(1), LONGEST_RECONNECT, 2, TimeUnit.MILLISECONDS))
        .build();
  }

  ClientResources lettuce() {
    return lettuce;
  }

  @Override
  public void close() {
    lettuce.shutdown(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(1, TimeUnit.SECONDS);
    eventLoop.shutdown(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(1, TimeUnit.SECONDS);
  }
}
