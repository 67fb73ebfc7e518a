package dev.interlock.redis.hash.internal.connection;

import dev.interlock.HostPort;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The open connections of a client to one server, or in a Sentinel set.
 *
 * <p>In a Sentinel set those that do not lead to the master are closed once it is known to be
 * another server; Lettuce then opens them again and asks the sentinels where to. The old master may
 * live on for seconds, and take writes that will be lost, so nothing is left there, and a sentinel
 * that has not heard the news does not lead us back to it. Thread-safe.
 */
final class MasterChannels implements NettyCustomizer {
  private final Set<SocketAddress> sentinels;
  private final Set<Channel> open = ConcurrentHashMap.newKeySet();
  private volatile @Nullable SocketAddress deposed;

  /**
   * Knows of no connections yet.
   *
   * @param sentinels as they are named in the settings; none if the server is a fixed one
   */
  MasterChannels(List<HostPort> sentinels) {
    this.sentinels = sentinels.stream()
        .map(each -> dialled(new InetSocketAddress(each.host(), each.port().orElseThrow())))
        .collect(Collectors.toSet());
  }

  /**
   * An address by the name that was dialled: a sentinel stays what it is when its name leads to
   * another address later.
   */
  private static SocketAddress dialled(SocketAddress address) {
    return address instanceof InetSocketAddress named
        ? InetSocketAddress.createUnresolved(named.getHostString(), named.getPort())
        : address;
  }

  @Override
  public void afterChannelInitialized(Channel channel) {
    open.add(channel);
    channel.closeFuture().addListener(closed -> open.remove(channel));
    if (sentinels.isEmpty()) {
      return;
    }
    channel.pipeline().addFirst(new ChannelInboundHandlerAdapter() {
      @Override
      public void channelActive(ChannelHandlerContext context) throws Exception {
        SocketAddress remote = channel.remoteAddress();
        if (remote != null && remote.equals(deposed)) {
          ChannelFuture unused = channel.close();
        }
        super.channelActive(context);
      }
    });
  }

  /** A sentinel tells that the master has changed. */
  void switched(SocketAddress from, SocketAddress to) {
    deposed = from.equals(to) ? null : from;
    leaveAllBut(to);
  }

  /** A sentinel was asked for the master. */
  void confirmed(SocketAddress master) {
    if (master.equals(deposed)) {
      deposed = null;
    }
    leaveAllBut(master);
  }

  /** Closes all; Lettuce opens them again, to where the server's name leads then. */
  void leaveAll() {
    for (Channel channel : open) {
      ChannelFuture unused = channel.close();
    }
  }

  private void leaveAllBut(SocketAddress master) {
    for (Channel channel : open) {
      SocketAddress remote = channel.remoteAddress();
      if (remote != null && !remote.equals(master) && !sentinels.contains(dialled(remote))) {
        ChannelFuture unused = channel.close();
      }
    }
  }
}
