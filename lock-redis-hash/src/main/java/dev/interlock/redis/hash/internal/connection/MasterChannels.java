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
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The open connections of a client to one server, or in a Sentinel set.
 *
 * <p>In a Sentinel set those that do not lead to the master are closed once it is known to be
 * another server; Lettuce then opens them again, to the new one. The old master may live on for
 * seconds, and take writes that will be lost, so nothing is left there, also nothing that was just
 * being opened. Thread-safe.
 */
final class MasterChannels implements NettyCustomizer {
  private final Set<SocketAddress> sentinels;
  private final Set<Channel> open = ConcurrentHashMap.newKeySet();
  private volatile @Nullable SocketAddress master;

  /**
   * Knows of no connections yet.
   *
   * @param sentinels as they are named in the settings; none if the server is a fixed one
   */
  MasterChannels(List<HostPort> sentinels) {
    this.sentinels = sentinels.stream().map(MasterChannels::dialled).collect(Collectors.toSet());
  }

  private static SocketAddress dialled(HostPort address) {
    return dialled(new InetSocketAddress(address.host(), address.port().orElseThrow()));
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
        leaveUnlessRight(channel);
        super.channelActive(context);
      }
    });
  }

  /** Leaves all servers but this one. */
  void follow(HostPort found) {
    master = dialled(found);
    open.forEach(this::leaveUnlessRight);
  }

  /** The address that was followed last, to be looked up when it is dialled. */
  SocketAddress master() {
    return Objects.requireNonNull(master, "no master is known yet");
  }

  /** Closes all; Lettuce opens them again, to where the server's name leads then. */
  void leaveAll() {
    for (Channel channel : open) {
      ChannelFuture unused = channel.close();
    }
  }

  private void leaveUnlessRight(Channel channel) {
    SocketAddress remote = channel.remoteAddress();
    SocketAddress right = master;
    if (remote != null && right != null && !isRight(dialled(remote), right)) {
      ChannelFuture unused = channel.close();
    }
  }

  private boolean isRight(SocketAddress dialled, SocketAddress right) {
    return dialled.equals(right) || sentinels.contains(dialled);
  }
}
