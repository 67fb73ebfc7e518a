package dev.interlock.redis.hash.internal.connection;

import dev.interlock.HostPort;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The connections of a client to one server: a fixed one, or the master of a Sentinel set.
 *
 * <p>Those that do not lead to the master are closed once it is known to be another server; Lettuce
 * then opens them again, to the new one. The old master may live on for seconds, and take writes
 * that will be lost, so nothing is left there, also nothing that is just being opened: where a
 * machine has died, that would take as long as a connection may. Thread-safe.
 */
final class MasterChannels implements NettyCustomizer {
  private final Set<Led> open = ConcurrentHashMap.newKeySet();

  /** By the name that is dialled; null where the server is a fixed one. */
  private volatile @Nullable SocketAddress master;

  @Override
  public void afterChannelInitialized(Channel channel) {
    Led led = new Led(channel);
    open.add(led);
    channel.closeFuture().addListener(closed -> open.remove(led));
    channel.pipeline().addFirst(led);
  }

  /** Leaves all servers but this one. */
  void follow(HostPort found) {
    // Looked up only for what an address of IPv6 is called when it is dialled: it has many forms.
    master = dialled(new InetSocketAddress(found.host(), found.port().orElseThrow()));
    open.forEach(Led::leaveUnlessRight);
  }

  /** The address that was followed last, to be looked up when it is dialled. */
  SocketAddress master() {
    return Objects.requireNonNull(master, "no master is known yet");
  }

  /** Closes all; Lettuce opens them again, to where the server's name leads then. */
  void leaveAll() {
    open.forEach(Led::leave);
  }

  /** By the name: the master stays the same when its name leads to another address later. */
  private static SocketAddress dialled(SocketAddress address) {
    return address instanceof InetSocketAddress named
        ? InetSocketAddress.createUnresolved(named.getHostString(), named.getPort())
        : address;
  }

  /** A connection, from when it is dialled. */
  private final class Led extends ChannelOutboundHandlerAdapter {
    private final Channel channel;
    private volatile @Nullable SocketAddress to;

    Led(Channel channel) {
      this.channel = channel;
    }

    @Override
    public void connect(
        ChannelHandlerContext context,
        SocketAddress remote,
        SocketAddress local,
        ChannelPromise promise)
        throws Exception {
      super.connect(context, remote, local, promise);
      to = dialled(remote);
      leaveUnlessRight(); // another server may have become the master since this one was looked up
    }

    void leaveUnlessRight() {
      SocketAddress dialled = to;
      SocketAddress right = master;
      if (dialled != null && right != null && !dialled.equals(right)) {
        leave();
      }
    }

    void leave() {
      ChannelFuture unused = channel.close();
    }
  }
}
