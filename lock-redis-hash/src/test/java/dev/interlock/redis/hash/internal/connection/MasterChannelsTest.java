package dev.interlock.redis.hash.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.HostPort;
import dev.interlock.testservers.RedisServer;
import dev.interlock.testservers.TestRedis;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketAddress;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which connections in a Sentinel set are closed. */
@Timeout(60)
class MasterChannelsTest {
  @SuppressWarnings("deprecation") // what Netty 4.2 has instead is not in Netty 4.1
  private final EventLoopGroup threads = new NioEventLoopGroup(1);

  private final List<SocketChannel> filling = new ArrayList<>();
  private int port;

  @BeforeEach
  void listen() {
    Channel listener = new ServerBootstrap()
        .group(threads)
        .channel(NioServerSocketChannel.class)
        .childHandler(new ChannelInitializer<>() {
          @Override
          protected void initChannel(Channel channel) {
            // Nothing is sent to it.
          }
        })
        .bind(InetAddress.getLoopbackAddress(), 0)
        .syncUninterruptibly()
        .channel();
    port = ((InetSocketAddress) listener.localAddress()).getPort();
  }

  @AfterEach
  void close() throws IOException {
    for (SocketChannel channel : filling) {
      channel.close();
    }
    threads.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
  }

  @Test
  void theMasterStaysConnectedWhenItsNameLeadsToAnotherAddress() throws Exception {
    // Names that lead nowhere now, and to this server when they are dialled.
    MasterChannels channels = new MasterChannels();
    channels.follow(HostPort.of("master.invalid", port));
    Channel master = connect(channels, "master.invalid");
    Channel former = dial(channels, here("former.invalid")).channel();
    assertThat(former.closeFuture().await(20, TimeUnit.SECONDS)).isTrue();
    channels.follow(HostPort.of("master.invalid", port));
    threads.submit(() -> {}).get(); // had the other been closed too, this would come after that
    assertThat(master.isActive()).isTrue();
  }

  @Test
  void whatWasOpenIsClosedOnceAnotherServerIsTheMaster() throws Exception {
    MasterChannels channels = new MasterChannels();
    Channel former = connect(channels, "former.invalid");
    channels.follow(HostPort.of("127.0.0.9", 6379));
    assertThat(former.closeFuture().await(20, TimeUnit.SECONDS)).isTrue();
  }

  /** What a machine does that has died: the attempt takes as long as a connection may. */
  @Test
  void whatIsBeingOpenedIsGivenUpOnceAnotherServerIsTheMaster() throws Exception {
    try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      fill(full);
      MasterChannels channels = new MasterChannels();
      InetSocketAddress dead =
          new InetSocketAddress(InetAddress.getLoopbackAddress(), full.getLocalPort());
      channels.follow(HostPort.of(dead.getHostString(), dead.getPort()));
      ChannelFuture connecting = dial(channels, dead);
      assertThat(connecting.await(300)).as("it connects").isFalse();
      channels.follow(HostPort.of("127.0.0.9", 6379));
      assertThat(connecting.await(20, TimeUnit.SECONDS)).isTrue();
      assertThat(connecting.cause()).isInstanceOf(ClosedChannelException.class);
    }
  }

  /** Until it takes no connection any more, and refuses none either. */
  private void fill(ServerSocket server) throws IOException {
    while (true) {
      try {
        filling.add(SocketChannel.open()); // stays open
        filling.get(filling.size() - 1).socket().connect(server.getLocalSocketAddress(), 200);
      } catch (SocketTimeoutException e) {
        return;
      }
    }
  }

  /** The tests above hold only if Lettuce has names looked up as late as this. */
  @Test
  void whatLettuceConnectsToIsKnownByItsName() {
    try (RedisServer server = TestRedis.start()) {
      MasterChannels channels = new MasterChannels();
      Resources resources = new Resources(Duration.ofSeconds(2));
      RedisClient redis = RedisClient.create(
          resources.lettuce(channels, new MasterAddress(channels::master)),
          RedisURI.create("nowhere.invalid", 1));
      channels.follow(HostPort.of("localhost", server.port()));
      RedisCommands<String, String> commands = redis.connect().sync();
      long id = commands.clientId();
      channels.follow(HostPort.of("localhost", server.port()));
      assertThat(commands.clientId()).isEqualTo(id);
      redis.shutdown(Duration.ZERO, Duration.ofSeconds(1));
      resources.close();
    }
  }

  private Channel connect(MasterChannels channels, String name) throws UnknownHostException {
    return dial(channels, here(name)).syncUninterruptibly().channel();
  }

  /** This server, under a name. */
  private SocketAddress here(String name) throws UnknownHostException {
    return new InetSocketAddress(
        InetAddress.getByAddress(name, InetAddress.getLoopbackAddress().getAddress()), port);
  }

  private ChannelFuture dial(MasterChannels channels, SocketAddress to) {
    return new Bootstrap()
        .group(threads)
        .channel(NioSocketChannel.class)
        .handler(new ChannelInitializer<>() {
          @Override
          protected void initChannel(Channel channel) {
            channels.afterChannelInitialized(channel);
          }
        })
        .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, 50_000)
        .connect(to);
  }
}
