package dev.interlock.redis.hash.internal.connection;

import dev.interlock.HostPort;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The open connections of a client to one server: a fixed one, or the master of a Sentinel set.
 *
 * <p>Those that do not lead to the master are closed once it is known to be another server; Lettuce
 * then opens them again, to the new one. The old master may live on for seconds, and take writes
 * that will be lost, so nothing is left there, also nothing that was just being opened.
 * Thread-safe.
 */
final class MasterChannels implements NettyCustomizer {
  private final Set<Channel> open = ConcurrentHashMap.newKeySet();

  /** By the name that is dialled; null where the server is a fixed one. */
  private volatile @Nullable SocketAddress master;

  @Override
  public void afterChannelInitialized(Channel channel) {
    open.add(channel);
    channel.closeFuture().addListener(closed -> open.remove(channel));
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
    // Looked up only for what an address of IPv6 is called when it is dialled: it has many forms.
    master = dialled(new InetSocketAddress(found.host(), found.port().orElseThrow()));
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
    if (remote != null && right != null && !dialled(remote).equals(right)) {
      ChannelFuture unused = channel.close();
    }
  }

  /** By the name: the master stays the same when its name leads to another address later. */
  private static SocketAddress dialled(SocketAddress address) {
    return address instanceof InetSocketAddress named
        ? InetSocketAddress.createUnresolved(named.getHostString(), named.getPort())
        : address;
  }
}
